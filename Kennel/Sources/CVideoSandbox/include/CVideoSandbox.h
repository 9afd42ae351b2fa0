#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Returns whether the kernel can limit which files a process reads (Landlock).
bool kennel_video_sandbox_limits_files(void);

/// Restricts this process and runs a program in it that decodes a video from a stranger.
///
/// The program reads the video from descriptor 0, which must be a regular file, and writes to descriptor 1. It has no network, can
/// write no file, start no other program, and change nothing of the system. Of the files, it can read those of the system's
/// libraries, and the video (Landlock, where the kernel has it). Its memory and its processor time have limits, and it has the
/// lowest priority.
///
/// \param program the path of the program.
/// \param arguments its arguments, which end with a null pointer. The first one is its name.
/// \param memory the maximum size of its address space in bytes.
/// \param seconds the maximum processor time in seconds.
/// \return the error if the program could not be run.
int kennel_video_sandbox_run(const char *_Nonnull program, char *_Nullable const *_Nonnull arguments, size_t memory,
                             unsigned seconds);
