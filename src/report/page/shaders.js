// Shaders: balls as exact spheres on squares, planar faces, rods; a directional light with shadows, a sky, and ambient
// occlusion.

const COMMON = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
`;

const LIGHT = `
uniform mat4 sun;            // from world to shadow map coordinates
uniform mat4 back;           // from camera to world coordinates
uniform vec3 toSun;          // in camera axes
uniform vec3 up;
uniform float shadows;
uniform sampler2DShadow map;
uniform float texel;
layout(location = 0) out vec4 colour;
layout(location = 1) out vec4 facing;

float lit(vec3 at, vec3 normal) {
  if (shadows < 0.5) return 1.0;
  vec4 p = sun * back * vec4(at + normal * texel * 2.0, 1.0);
  vec3 q = p.xyz * 0.5 + 0.5;
  if (any(lessThan(q, vec3(0.0))) || any(greaterThan(q, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  float turn = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  for (int i = 0; i < 12; i++) {
    float r = sqrt((float(i) + 0.5) / 12.0) * 0.0035;
    float a = turn + float(i) * 2.399963;
    sum += texture(map, vec3(q.xy + r * vec2(cos(a), sin(a)), q.z - 0.0012));
  }
  return sum / 12.0;
}

void shade(vec3 at, vec3 normal, vec3 paint, float gloss) {
  vec3 linear = paint * paint;
  float day = max(0.0, dot(normal, toSun)) * lit(at, normal);
  float sky = 0.5 + 0.5 * dot(normal, up);
  vec3 half_ = normalize(toSun - normalize(at));
  float shine = gloss * pow(max(0.0, dot(normal, half_)), 48.0) * step(0.01, day);
  vec3 light = linear * (vec3(1.0, 0.96, 0.90) * 0.86 * day + mix(vec3(0.30, 0.29, 0.28), vec3(0.58, 0.60, 0.64), sky)) + shine;
  colour = vec4(sqrt(clamp(light, 0.0, 1.0)), 1.0);
  facing = vec4(normal * 0.5 + 0.5, 1.0);
}
`;

const BALL_VERTEX =
  COMMON +
  `
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 ball;
layout(location = 2) in vec4 paint;
uniform mat4 view;
uniform mat4 lens;
uniform float flatness;      // 1: orthographic, for the shadow map
out vec3 place;
flat out vec3 centre;
flat out float radius;
flat out vec3 tint;
void main() {
  centre = (view * vec4(ball.xyz, 1.0)).xyz;
  radius = ball.w;
  tint = paint.rgb;
  if (flatness > 0.5) {
    place = centre + vec3(corner * radius, 0.0);
  } else {
    float far = length(centre);
    vec3 along = centre / far;
    vec3 right = normalize(cross(along, abs(along.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
    vec3 over = cross(right, along);
    float reach = radius * far / sqrt(max(far * far - radius * radius, 1e-12 * far * far));
    place = centre + (right * corner.x + over * corner.y) * reach;
  }
  gl_Position = lens * vec4(place, 1.0);
}`;

const BALL_FRAGMENT =
  COMMON +
  LIGHT +
  `
in vec3 place;
flat in vec3 centre;
flat in float radius;
flat in vec3 tint;
uniform mat4 lens;
void main() {
  vec3 ray = normalize(place);
  float b = dot(ray, centre);
  float under = b * b - dot(centre, centre) + radius * radius;
  if (under < 0.0) discard;
  vec3 at = ray * (b - sqrt(under));
  vec4 clip = lens * vec4(at, 1.0);
  gl_FragDepth = 0.5 + 0.5 * clip.z / clip.w;
  shade(at, (at - centre) / radius, tint, 0.16);
}`;

const BALL_SHADOW =
  COMMON +
  `
in vec3 place;
flat in vec3 centre;
flat in float radius;
flat in vec3 tint;
uniform mat4 lens;
void main() {
  vec2 off = (place.xy - centre.xy) / radius;
  float under = 1.0 - dot(off, off);
  if (under < 0.0) discard;
  vec4 clip = lens * vec4(place.xy, centre.z + radius * sqrt(under), 1.0);
  gl_FragDepth = 0.5 + 0.5 * clip.z;
}`;

const TURN = `
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
`;

const SIDE_VERTEX =
  COMMON +
  TURN +
  `
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 out_;
layout(location = 2) in vec4 body;
layout(location = 3) in vec4 turn;
layout(location = 4) in vec4 paint;
uniform mat4 view;
uniform mat4 lens;
out vec3 place;
out vec3 across;
flat out vec3 tint;
void main() {
  place = (view * vec4(body.xyz + turned(turn, corner) * body.w, 1.0)).xyz;
  across = mat3(view) * turned(turn, out_);
  tint = paint.rgb;
  gl_Position = lens * vec4(place, 1.0);
}`;

const ROD_VERTEX =
  COMMON +
  `
layout(location = 0) in vec3 corner;
layout(location = 2) in vec4 from;
layout(location = 3) in vec4 to;
layout(location = 4) in vec4 paint;
uniform mat4 view;
uniform mat4 lens;
out vec3 place;
out vec3 across;
flat out vec3 tint;
void main() {
  vec3 axis = to.xyz - from.xyz;
  vec3 along = axis / max(length(axis), 1e-12);
  vec3 u = normalize(cross(along, abs(along.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
  vec3 v = cross(along, u);
  vec3 out_ = u * corner.x + v * corner.y;
  place = (view * vec4(from.xyz + axis * corner.z + out_ * from.w, 1.0)).xyz;
  across = mat3(view) * out_;
  tint = paint.rgb;
  gl_Position = lens * vec4(place, 1.0);
}`;

const SIDE_FRAGMENT =
  COMMON +
  LIGHT +
  `
in vec3 place;
in vec3 across;
flat in vec3 tint;
void main() {
  vec3 normal = normalize(across);
  shade(place, dot(normal, place) > 0.0 ? -normal : normal, tint, 0.08);
}`;

const WALL_VERTEX =
  COMMON +
  `
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 out_;
uniform mat4 view;
uniform mat4 lens;
out vec3 place;
out vec3 world;
out vec3 across;
void main() {
  world = corner;
  place = (view * vec4(corner, 1.0)).xyz;
  across = mat3(view) * out_;
  gl_Position = lens * vec4(place, 1.0);
}`;

const WALL_FRAGMENT =
  COMMON +
  LIGHT +
  `
in vec3 place;
in vec3 world;
in vec3 across;
uniform vec3 low;
uniform vec3 high;
uniform vec3 paper;
uniform vec3 wall;
void main() {
  shade(place, normalize(across), wall, 0.0);
  vec3 past = max(max(low - world, world - high), 0.0);
  float fade = smoothstep(0.05, 0.5, length(past) / length(high - low));
  colour.rgb = mix(colour.rgb, paper, fade);
  facing.a = 1.0 - fade;
}`;

const NOTHING = COMMON + `void main() {}`;

const WHOLE =
  COMMON +
  `
layout(location = 0) in vec2 corner;
void main() { gl_Position = vec4(corner, 0.0, 1.0); }`;

// Morgan McGuire and others 2011, The Alchemy screen-space ambient obscurance algorithm: the part of the hemisphere above
// a point that nearby visible surfaces cover.
const OCCLUSION =
  COMMON +
  `
uniform sampler2D depths;
uniform sampler2D facings;
uniform vec4 focal;          // of the projection: two for the angles, two for the depth
uniform vec2 size;
uniform float reach;
layout(location = 0) out vec4 dim;
vec3 seen(vec2 uv) {
  float z = -focal.w / (2.0 * texture(depths, uv).r - 1.0 + focal.z);
  return vec3((2.0 * uv - 1.0) * -z / focal.xy, z);
}
void main() {
  vec2 uv = gl_FragCoord.xy / size;
  if (texture(depths, uv).r >= 1.0) { dim = vec4(1.0); return; }
  vec3 at = seen(uv);
  vec4 own = texture(facings, uv);
  vec3 normal = normalize(own.xyz * 2.0 - 1.0);
  float disk = min(reach * focal.y * 0.5 / -at.z, 0.2);
  // Sixteen patterns, which the last pass averages out.
  int pattern = (int(gl_FragCoord.x) & 3) + 4 * (int(gl_FragCoord.y) & 3);
  float turn = 6.2832 * float(pattern * 7 % 16) / 16.0 / 1.618;
  float sum = 0.0;
  for (int i = 0; i < 18; i++) {
    float r = (float(i) + 0.5) / 18.0;
    float a = turn + float(i) * 2.399963;
    vec3 arm = seen(uv + r * disk * vec2(cos(a) * size.y / size.x, sin(a))) - at;
    float near = max(0.0, 1.0 - dot(arm, arm) / (reach * reach));
    sum += near * max(0.0, dot(arm, normal) - 0.02 * reach) / (length(arm) + 1e-6) ;
  }
  dim = vec4(vec3(mix(1.0, pow(clamp(1.0 - 1.7 * sum / 18.0, 0.0, 1.0), 1.25), own.a)), 1.0);
}`;

const FINISH =
  COMMON +
  `
uniform sampler2D colours;
uniform sampler2D depths;
uniform sampler2D dims;
uniform vec2 size;
uniform float dimmed;
uniform int over;
out vec4 colour;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec3 sum = vec3(0.0);
  for (int j = 0; j < over; j++) for (int i = 0; i < over; i++) sum += texelFetch(colours, at * over + ivec2(i, j), 0).rgb;
  vec3 own = sum / float(over * over);
  float depth = texelFetch(depths, at * over, 0).r;
  if (dimmed > 0.5 && depth < 1.0) {
    float dim = 0.0, weight = 0.0;
    ivec2 most = ivec2(size) - 1;
    for (int j = -2; j < 2; j++) for (int i = -2; i < 2; i++) {
      ivec2 near = clamp(at + ivec2(i, j), ivec2(0), most);
      float w = exp(-4000.0 * abs(texelFetch(depths, near * over, 0).r - depth)) + 1e-4;
      dim += w * texelFetch(dims, near, 0).r;
      weight += w;
    }
    own *= dim / weight;
  }
  colour = vec4(own, 1.0);
}`;

/** A shader program with the locations of its uniforms. */
function compile(gl, vertex, fragment) {
  const whole = gl.createProgram();
  for (const [kind, text] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(whole, shader);
  }
  gl.linkProgram(whole);
  if (!gl.getProgramParameter(whole, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(whole));
  const places = {};
  const count = gl.getProgramParameter(whole, gl.ACTIVE_UNIFORMS);
  for (let k = 0; k < count; k++) {
    const { name } = gl.getActiveUniform(whole, k);
    places[name] = gl.getUniformLocation(whole, name);
  }
  return { whole, places };
}
