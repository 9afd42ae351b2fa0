#include "CKennelPage.h"

const kennel_page_file kennel_page_files[] = {
    {NULL, NULL, 0},
};
