#include "jpeg_errors.h"

void jpeg_failure_exit(j_common_ptr image) {
  jpeg_failure *failure = (jpeg_failure *)image->err;
  failure->manager.format_message(image, failure->message);
  longjmp(failure->jump, 1);
}

/// Returns the name of a kind of JPEG by the marker that begins its frame; NULL if libjpeg supports it.
static const char *coding_of(int marker) {
  switch (marker) {
    case 0xC3:
    case 0xCB:
      return "lossless coding";
    case 0xC5:
    case 0xC6:
    case 0xC7:
    case 0xCD:
    case 0xCE:
    case 0xCF:
    case 0xDE:
    case 0xDF:
      return "hierarchical coding";
    case 0xF7:
      return "JPEG-LS coding";
    default:
      return NULL;
  }
}

bool jpeg_failure_name_feature(jpeg_failure *failure, const struct jpeg_decompress_struct *image) {
  int parameter = failure->manager.msg_parm.i[0];
  const char *name = NULL;
  switch (failure->manager.msg_code) {
    case JERR_SOF_UNSUPPORTED:
    case JERR_UNKNOWN_MARKER:
      name = coding_of(parameter);
      break;
    case JERR_BAD_PRECISION:
      snprintf(failure->message, sizeof failure->message, "samples of %d bits", parameter);
      return true;
    case JERR_EMPTY_IMAGE:
      // The height may also come in a marker after the pixels.
      if (image->image_height == 0 && image->image_width > 0) name = "a height after the pixels (DNL)";
      break;
    default:
      break;
  }
  if (!name) return false;
  snprintf(failure->message, sizeof failure->message, "%s", name);
  return true;
}

codec_result jpeg_failure_result(const jpeg_failure *failure) {
  switch (failure->manager.msg_code) {
    case JERR_OUT_OF_MEMORY:
      return codec_out_of_memory;
    case JERR_IMAGE_TOO_BIG:
    case JERR_WIDTH_OVERFLOW:
      return codec_too_large;
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_COMPONENT_COUNT:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_NOTIMPL:
    case JERR_CANT_SUSPEND:
      return codec_unsupported;
    default:
      return codec_corrupt;
  }
}
