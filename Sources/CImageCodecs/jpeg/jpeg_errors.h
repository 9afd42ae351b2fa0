// libjpeg's way of failing, made to end in the C function that was called.
#ifndef JPEG_ERRORS_H
#define JPEG_ERRORS_H

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

#include "CImageCodecs.h"

typedef struct jpeg_failure {
  /// First, so that libjpeg's pointer to it is a pointer to the whole.
  struct jpeg_error_mgr manager;
  jmp_buf jump;
  char message[JMSG_LENGTH_MAX];
} jpeg_failure;

_Static_assert(JMSG_LENGTH_MAX <= CODEC_MESSAGE_SIZE, "libjpeg's messages fit");

/// Does not return: it goes to the `setjmp` of the call that is under way.
_Noreturn void jpeg_failure_exit(j_common_ptr image);

/// What libjpeg's last error means to a caller.
codec_result jpeg_failure_result(const jpeg_failure *failure);

#endif
