#include "jpeg_errors.h"

void jpeg_failure_exit(j_common_ptr image) {
  jpeg_failure *failure = (jpeg_failure *)image->err;
  failure->manager.format_message(image, failure->message);
  longjmp(failure->jump, 1);
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
