#include <stdlib.h>

#include <lcms2.h>

#include "CImageCodecs.h"

// Each profile has its own context, so that threads share nothing.

struct codec_color_profile {
  cmsContext context;
  cmsHPROFILE profile;
  bool is_grey;
  bool is_curves;
  const cmsToneCurve *curves[3];
  cmsCIEXYZ colorants[3];
};

struct codec_color_transform {
  cmsContext context;
  cmsHTRANSFORM transform;
};

static void drop_error(cmsContext context, cmsUInt32Number code, const char *text) {
  (void)context;
  (void)code;
  (void)text;
}

static cmsContext make_context(void) {
  cmsContext context = cmsCreateContext(NULL, NULL);
  if (context) cmsSetLogErrorHandlerTHR(context, drop_error);
  return context;
}

static cmsColorSpaceSignature signature_of(codec_colors colors) {
  switch (colors) {
    case codec_grey:
      return cmsSigGrayData;
    case codec_cmyk:
      return cmsSigCmykData;
    default:
      return cmsSigRgbData;
  }
}

static void find_curves(codec_color_profile *profile) {
  static const cmsTagSignature curves[3] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
  static const cmsTagSignature colorants[3] = {
      cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
  // A lookup table is more precise than the curves in the same profile.
  if (cmsIsTag(profile->profile, cmsSigAToB0Tag) || cmsIsTag(profile->profile, cmsSigAToB1Tag)) return;
  if (cmsIsTag(profile->profile, cmsSigDToB0Tag) || cmsIsTag(profile->profile, cmsSigDToB1Tag)) return;
  if (cmsGetPCS(profile->profile) != cmsSigXYZData) return;
  for (int channel = 0; channel < 3; channel++) {
    cmsTagSignature tag = profile->is_grey ? cmsSigGrayTRCTag : curves[channel];
    profile->curves[channel] = cmsReadTag(profile->profile, tag);
    if (!profile->curves[channel]) return;
    if (profile->is_grey) continue;
    const cmsCIEXYZ *colorant = cmsReadTag(profile->profile, colorants[channel]);
    if (!colorant) return;
    profile->colorants[channel] = *colorant;
  }
  profile->is_curves = true;
}

codec_color_profile *codec_color_profile_make(const uint8_t *bytes, size_t count, codec_colors colors) {
  codec_color_profile *profile = calloc(1, sizeof *profile);
  if (!profile) return NULL;
  profile->context = make_context();
  if (profile->context && count <= UINT32_MAX) {
    profile->profile = cmsOpenProfileFromMemTHR(profile->context, bytes, (cmsUInt32Number)count);
  }
  cmsColorSpaceSignature space = signature_of(colors);
  if (!profile->profile || cmsGetColorSpace(profile->profile) != space ||
      cmsGetDeviceClass(profile->profile) == cmsSigLinkClass ||
      cmsGetDeviceClass(profile->profile) == cmsSigNamedColorClass) {
    codec_color_profile_free(profile);
    return NULL;
  }
  profile->is_grey = space == cmsSigGrayData;
  if (space != cmsSigCmykData) find_curves(profile);
  return profile;
}

void codec_color_profile_free(codec_color_profile *profile) {
  if (profile->profile) cmsCloseProfile(profile->profile);
  if (profile->context) cmsDeleteContext(profile->context);
  free(profile);
}

bool codec_color_profile_is_curves(const codec_color_profile *profile) {
  return profile->is_curves;
}

void codec_color_profile_sample(
    const codec_color_profile *profile, int channel, float *samples, size_t count) {
  const cmsToneCurve *curve = profile->curves[channel];
  for (size_t index = 0; index < count; index++) {
    samples[index] = cmsEvalToneCurveFloat(curve, (float)index / (float)(count - 1));
  }
}

bool codec_color_profile_matrix(const codec_color_profile *profile, double *matrix) {
  if (profile->is_grey) return false;
  for (int channel = 0; channel < 3; channel++) {
    matrix[channel] = profile->colorants[channel].X;
    matrix[3 + channel] = profile->colorants[channel].Y;
    matrix[6 + channel] = profile->colorants[channel].Z;
  }
  return true;
}

codec_color_transform *codec_color_transform_make(
    const codec_color_profile *profile, codec_colors colors, int bytes_per_sample) {
  codec_color_transform *transform = calloc(1, sizeof *transform);
  if (!transform) return NULL;
  transform->context = profile->context;
  cmsHPROFILE srgb = cmsCreate_sRGBProfileTHR(profile->context);
  cmsUInt32Number depth = BYTES_SH((cmsUInt32Number)bytes_per_sample);
  cmsUInt32Number output = COLORSPACE_SH(PT_RGB) | CHANNELS_SH(3) | depth;
  cmsUInt32Number input = output;
  cmsUInt32Number flags = cmsFLAGS_BLACKPOINTCOMPENSATION;
  switch (colors) {
    case codec_grey:
      input = COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | depth;
      break;
    case codec_cmyk:
      input = COLORSPACE_SH(PT_CMYK) | CHANNELS_SH(4) | depth;
      break;
    case codec_rgba:
      input |= EXTRA_SH(1);
      output |= EXTRA_SH(1);
      flags |= cmsFLAGS_COPY_ALPHA;
      break;
    case codec_rgb:
      break;
  }
  if (srgb) {
    transform->transform = cmsCreateTransformTHR(
        profile->context, profile->profile, input, srgb, output, INTENT_RELATIVE_COLORIMETRIC, flags);
    cmsCloseProfile(srgb);
  }
  if (transform->transform) return transform;
  free(transform);
  return NULL;
}

void codec_color_transform_free(codec_color_transform *transform) {
  cmsDeleteTransform(transform->transform);
  free(transform);
}

void codec_color_transform_convert(
    const codec_color_transform *transform, const void *from, void *to, size_t pixels) {
  cmsDoTransform(transform->transform, from, to, (cmsUInt32Number)pixels);
}

static cmsHPROFILE make_gamma_profile(
    cmsContext context, cmsToneCurve *curve, const double *chromaticities, codec_colors colors) {
  static const double srgb[8] = {0.3127, 0.3290, 0.64, 0.33, 0.30, 0.60, 0.15, 0.06};
  const double *xy = chromaticities ? chromaticities : srgb;
  cmsCIExyY white = {xy[0], xy[1], 1};
  if (colors == codec_grey) return cmsCreateGrayProfileTHR(context, &white, curve);
  cmsCIExyYTRIPLE primaries = {{xy[2], xy[3], 1}, {xy[4], xy[5], 1}, {xy[6], xy[7], 1}};
  cmsToneCurve *curves[3] = {curve, curve, curve};
  return cmsCreateRGBProfileTHR(context, &white, &primaries, curves);
}

static codec_result write_profile(
    cmsContext context, cmsToneCurve *curve, const double *chromaticities, codec_colors colors,
    codec_buffer *output) {
  codec_result result = codec_corrupt;
  cmsHPROFILE profile = curve ? make_gamma_profile(context, curve, chromaticities, colors) : NULL;
  cmsUInt32Number count = 0;
  if (profile && cmsSaveProfileToMem(profile, NULL, &count) && count > 0) {
    uint8_t *bytes = malloc(count);
    if (bytes && cmsSaveProfileToMem(profile, bytes, &count)) {
      *output = (codec_buffer){bytes, count};
      result = codec_done;
    } else {
      free(bytes);
    }
  }
  if (profile) cmsCloseProfile(profile);
  if (curve) cmsFreeToneCurve(curve);
  cmsDeleteContext(context);
  return result;
}

codec_result codec_color_profile_write(
    double exponent, const double *chromaticities, codec_colors colors, codec_buffer *output) {
  cmsContext context = make_context();
  if (!context) return codec_out_of_memory;
  return write_profile(context, cmsBuildGamma(context, exponent), chromaticities, colors, output);
}

codec_result codec_color_profile_write_curve(
    const float *light, size_t count, const double *chromaticities, codec_colors colors, codec_buffer *output) {
  cmsContext context = make_context();
  if (!context) return codec_out_of_memory;
  static const double srgb[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  cmsToneCurve *curve = count == 0 ? cmsBuildParametricToneCurve(context, 4, srgb)
                                   : cmsBuildTabulatedToneCurveFloat(context, (cmsUInt32Number)count, light);
  return write_profile(context, curve, chromaticities, colors, output);
}
