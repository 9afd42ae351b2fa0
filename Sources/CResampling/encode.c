#include "CResampling.h"

// Clamps a value to 0 to 1; NaN becomes 0.
static inline float clamped(float x) {
  x = x > 0 ? x : 0;
  return x < 1 ? x : 1;
}

// Returns the correctly rounded sample. Thresholds are further apart than entries of the table, so the sample is the
// one in the table or the next one.
static inline uint8_t code(const rsp_encoding *encoding, float light) {
  float x = clamped(light);
  uint8_t low = encoding->codes[(int)(x * 4096)];
  return (uint8_t)(low + (x >= encoding->thresholds[low + 1]));
}

static inline void write_rgb(const rsp_encoding *encoding, float r, float g, float b, uint8_t *out) {
  const float *m = encoding->matrix;
  if (m) {
    float x = m[0] * r + m[1] * g + m[2] * b;
    float y = m[3] * r + m[4] * g + m[5] * b;
    float z = m[6] * r + m[7] * g + m[8] * b;
    r = x;
    g = y;
    b = z;
  }
  out[0] = code(encoding, r);
  out[1] = code(encoding, g);
  out[2] = code(encoding, b);
}

void rsp_encode(
    rsp_path path, const rsp_encoding *encoding, const float *in, int in_channels, uint8_t *out,
    int out_channels, size_t count) {
  if (in_channels == 1) {
    for (size_t i = 0; i < count; i++) write_rgb(encoding, in[i], in[i], in[i], out + 3 * i);
  } else if (out_channels == 3) {
    rsp_encode_opaque(path, encoding, in, out, count);
  } else {
    for (size_t i = 0; i < count; i++, in += 4, out += 4) {
      float alpha = clamped(in[3]);
      out[3] = (uint8_t)(alpha * 255 + 0.5f);
      if (out[3] == 0) {
        out[0] = out[1] = out[2] = 0;
      } else {
        float scale = 1 / alpha;
        write_rgb(encoding, in[0] * scale, in[1] * scale, in[2] * scale, out);
      }
    }
  }
}
