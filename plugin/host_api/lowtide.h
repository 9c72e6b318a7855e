/* The C API of liblowtide_plugin.so (C99), for hosts in any language: UTF-8 texts, numbers and
 * 8-bit images cross, no C++ type does. Texts are those of runner.hpp: graphs, options, events and
 * reports as JSON (docs/events.md). Every function may be called from any thread and at any time; a
 * call that cannot be served fails with a text that states why.
 *
 * `result` of a function gets a text of its own, JSON with "issues" also on failure, which the host
 * gives back with lowtide_free(); NULL where it is not wanted. `options` and `settings` may be
 * NULL. */
#ifndef LOWTIDE_H
#define LOWTIDE_H

#include <stdint.h>

#if defined(__GNUC__)
#define LOWTIDE_C_API __attribute__((visibility("default")))
#else
#define LOWTIDE_C_API __declspec(dllexport)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function of this header changes; new ones may come without. */
#define LOWTIDE_C_API_VERSION 1

/* What functions return; the numbers are the command's exit codes. */
enum { LOWTIDE_OK = 0, LOWTIDE_INVALID = 2, LOWTIDE_FAILED = 3, LOWTIDE_CANCELLED = 130 };

/* How a run is cancelled. */
enum { LOWTIDE_CANCEL_AFTER_THIS_IMAGE = 1, LOWTIDE_CANCEL_NOW = 2 };

/* One event of a run, valid during the call. Called from one thread of the module without a lock
 * held: it may call every function but lowtide_stop() and should only enqueue. "runFinished" is the
 * last one of a run; `user` must be usable until then. */
typedef void (*lowtide_event_function)(void* user, uint64_t run, const char* json);
/* An image of a node: rows of `channels` (1, 3 or 4) bytes, the first one on top, valid during the
 * call; as above. */
typedef void (*lowtide_image_function)(void* user,
                                       uint64_t run,
                                       const char* node,
                                       int32_t width,
                                       int32_t height,
                                       int32_t channels,
                                       const uint8_t* pixels);
/* Called after each piece of a lowtide_call() that takes its time, on the thread of the call: the
 * amount that is done and the whole amount, in a unit of the call. 0 cancels the call, and so does
 * an exception of a host in C++. */
typedef int (*lowtide_watch_function)(void* user, int64_t done, int64_t total);

/* The LOWTIDE_C_API_VERSION of the module. */
LOWTIDE_C_API uint32_t lowtide_c_api_version(void);

/* First: starts the engine. Settings: {"threads", "modelFolders", "cacheFolder", "log",
 * "guardMaps", "cudnnApi"}. A second call keeps the first one's settings and warns of those that
 * differ. */
LOWTIDE_C_API int lowtide_open(const char* settings, char** result);

/* {"id", "name", "version", "license", "torch", "calls": the names that lowtide_call() takes}. */
LOWTIDE_C_API int lowtide_info(char** result);
/* {"nodes": [...]}: every node with its ports and parameters, as `lowtide nodes --json`. */
LOWTIDE_C_API int lowtide_nodes(char** result);
/* {"devices", "cards", ...}. */
LOWTIDE_C_API int lowtide_devices(char** result);
/* The live ledger by device, tag and owner. */
LOWTIDE_C_API int lowtide_memory(char** result);

/* LOWTIDE_INVALID when an issue is an error. */
LOWTIDE_C_API int lowtide_check(const char* graph, const char* options, char** result);
/* {"plan": ...}: what would lie where, without reading weights. */
LOWTIDE_C_API int lowtide_plan(const char* graph, const char* options, char** result);

/* Queues a run and gives its number in `run`. `event` and `image` may be NULL. */
LOWTIDE_C_API int lowtide_start(const char* graph,
                                const char* options,
                                lowtide_event_function event,
                                lowtide_image_function image,
                                void* user,
                                uint64_t* run,
                                char** result);
/* LOWTIDE_INVALID when the run is over or unknown. */
LOWTIDE_C_API int lowtide_cancel(uint64_t run, int how);
/* Blocks until the run has ended, returns its status and gives its report, which is given once. */
LOWTIDE_C_API int lowtide_wait(uint64_t run, char** result);

/* What is not a run, by its name ("convert"): docs/calls.md has the names and their JSON. `watch`
 * may be NULL. */
LOWTIDE_C_API int lowtide_call(
    const char* name, const char* request, lowtide_watch_function watch, void* user, char** result);

/* Frees a component by name, or "all" and kept results; LOWTIDE_FAILED while a run is at work,
 * LOWTIDE_INVALID after lowtide_stop(). */
LOWTIDE_C_API int lowtide_release(const char* component);
/* Cancels every run and joins the threads: the last call. A process that ends without it is stopped
 * at its exit. */
LOWTIDE_C_API int lowtide_stop(void);

/* Gives a text back; NULL does nothing. */
LOWTIDE_C_API void lowtide_free(char* text);
/* Why the last call of this thread that failed did: one sentence, then what to do. Valid until the
 * thread's next call. */
LOWTIDE_C_API const char* lowtide_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
