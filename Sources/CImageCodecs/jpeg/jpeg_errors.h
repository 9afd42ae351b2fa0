// Makes libjpeg's errors end in the C function that was called.
#ifndef JPEG_ERRORS_H
#define JPEG_ERRORS_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

#include "CImageCodecs.h"

typedef struct jpeg_failure {
  /// The first member, so that libjpeg's pointer to it also points to this structure.
  struct jpeg_error_mgr manager;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
} jpeg_failure;

_Static_assert(JMSG_LENGTH_MAX <= CODEC_MESSAGE_SIZE, "libjpeg's messages fit");

/// Does not return: jumps to the `setjmp` of the current call.
_Noreturn void jpeg_failure_exit(j_common_ptr image);

/// If the header of the image cannot be read because of a feature that is not supported, replaces the message with the
/// feature's name, and returns true.
bool jpeg_failure_name_feature(jpeg_failure *failure, const struct jpeg_decompress_struct *image);

/// Returns the result that stands for libjpeg's last error.
codec_result jpeg_failure_result(const jpeg_failure *failure);

#endif
