#pragma once
// What a host calls. Only UTF-8 JSON, ids and 8-bit images cross; nothing throws across.

#include "plugin/host_api/host.hpp"
#include "plugin/host_api/toolchain.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#if defined(__GNUC__)
#define LOWTIDE_EXPORT __attribute__((visibility("default")))
#else
#define LOWTIDE_EXPORT __declspec(dllexport)
#endif

namespace lowtide {

class LogSource;  // log_source.hpp

using RunId = uint64_t;

/// Result of a call. The numbers are the command's exit codes.
enum class Status : int { Ok = 0, Invalid = 2, Failed = 3, Cancelled = 130 };

enum class CancelMode : uint8_t { No, AfterThisImage, Now };

/// Receives a run's events. Called from one module thread without a lock held; must only enqueue.
class Observer {
public:
    virtual ~Observer() = default;
    /// One event as JSON: {"event": "nodeStarted", "run": 1, "node": "denoise", ...}
    /// (docs/events.md).
    virtual void event(std::string_view json) noexcept = 0;
    /// An image of a node that shows one while it runs or when it is done.
    virtual void preview(RunId run, std::string_view node, const Image8& image) noexcept = 0;
};

/// Checks, plans and runs graphs. Every call may come from any thread; none blocks on a run but
/// wait() and stop(). `result` receives JSON, also on failure: {"issues": [...]}.
class Runner {
public:
    virtual ~Runner() = default;
    /// Validates a graph document: {"issues": [...]}; Invalid when one of them is an error.
    virtual Status check(std::string_view graph,
                         std::string_view options,
                         std::string& result) noexcept = 0;
    /// What would be resident or streamed per stage, without reading weights.
    virtual Status plan(std::string_view graph,
                        std::string_view options,
                        std::string& result) noexcept = 0;
    /// Queues an immutable snapshot of the graph. `observer` must live until runFinished has
    /// arrived. Options: docs/events.md.
    virtual Status start(std::string_view graph,
                         std::string_view options,
                         Observer& observer,
                         RunId& run,
                         std::string& result) noexcept = 0;
    virtual Status cancel(RunId run, CancelMode mode) noexcept = 0;
    /// Blocks until the run has ended; `result` is its report. The module keeps no report that was
    /// given: a second call gets "run", "status" and "issues" of it. Nobody has to wait; of runs
    /// that nobody waits for the last 16 keep their reports.
    virtual Status wait(RunId run, std::string& result) noexcept = 0;
    /// The live ledger by device, tag and owner; "capacity" is what a device has as the last run or
    /// plan opened it (a rehearsed card its own), 0 where none did. Each call copies it: a few
    /// times a second do no harm.
    virtual Status memory(std::string& result) noexcept = 0;
    /// Frees the named component ("all": every one) on every device, and kept results with "all".
    /// Failed while a run is at work, Invalid after stop().
    virtual Status release(std::string_view component) noexcept = 0;
    /// The devices found, their capacity and what is known of them; "cards" that plans may be for.
    virtual Status devices(std::string& result) noexcept = 0;
    /// Cancels everything and joins the threads. The last call; at exit() the module calls it
    /// itself.
    virtual Status stop() noexcept = 0;
};

/// Follows a call that takes its time, on the thread of the call.
class Watch {
public:
    virtual ~Watch() = default;
    /// Called after each piece of the work, with the amount that is done and the whole amount, in a
    /// unit of the call. False cancels the call.
    virtual bool goesOn(int64_t done, int64_t total) noexcept = 0;
};

/// The plugin as one object behind all entry points.
class Plugin {
public:
    virtual ~Plugin() = default;
    /// {"id", "name", "version", "license", "torch", "calls": the names that call() takes}.
    virtual std::string_view info() const noexcept = 0;
    virtual std::span<const NodeDesc> nodes() const noexcept = 0;
    /// Once, before runner(): {"threads": N, "modelFolders": [...], "cacheFolder": "...",
    /// "guardMaps": true}; `result` states what failed. With guardMaps the module installs a
    /// handler of SIGBUS, so that weight files which are cut off during a run end that run and not
    /// the program.
    virtual Status start(std::string_view settings, std::string& result) noexcept = 0;
    virtual Runner* runner() noexcept = 0;
    /// What is not a run, by its name ("convert"): docs/calls.md has the names and their JSON. New
    /// ones arrive here, never by growing a vtable. `watch` may be nullptr. Any thread. Invalid for
    /// an unknown name and before start().
    virtual Status call(std::string_view name,
                        std::string_view request,
                        Watch* watch,
                        std::string& result) noexcept = 0;
    /// The module's log, also before start(); nullptr when there is none.
    virtual LogSource* log() noexcept = 0;
};

}  // namespace lowtide

extern "C" {
/// The C++ entry point of liblowtide_plugin.so; lowtide.h is the C API. nullptr when `abi` or
/// `toolchain` do not match, or another libtorch is already mapped; lowtide_plugin_refusal() then
/// states why.
LOWTIDE_EXPORT lowtide::Plugin* lowtide_plugin(uint32_t abi, const char* toolchain);
LOWTIDE_EXPORT const char* lowtide_plugin_refusal();
}
