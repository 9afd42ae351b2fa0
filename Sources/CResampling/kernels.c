#include "CResampling.h"
