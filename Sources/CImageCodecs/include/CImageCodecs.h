// The image libraries as Swift sees them: functions that report errors as values, since setjmp must stay in C.
#ifndef C_IMAGE_CODECS_H
#define C_IMAGE_CODECS_H

#endif
