// The inner loops of resampling, in as many versions as there are instruction sets worth it.
#ifndef C_RESAMPLING_H
#define C_RESAMPLING_H

#endif
