#pragma once

#include "plugin/base/error.hpp"
#include "plugin/base/json_fwd.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/base/units.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace lowtide::files {

/// A small JSON file of the cache folder that several processes read and change: {"format": 1,
/// "<member>": entries}, where entries are a list, the oldest first, if its length has a limit, and
/// else an object.
class CacheTable {
public:
    struct Form {
        const char* file = "";    ///< "hashes.json"
        const char* member = "";  ///< of the entries
        int64_t format = 1;       ///< raised when the meaning of an entry changes
        Bytes largest = kMiB;     ///< of the file, that is read
        size_t mostEntries = 0;   ///< of a list; those before them go. 0: an object
    };

    /// `folder` empty: nothing is found and nothing can be stored.
    CacheTable(std::string folder, const Form& form) : folder_(std::move(folder)), form_(form) {}

    /// Null where there is no file. Error{Corrupt} when it cannot be read.
    [[nodiscard]] Json entries() const;
    /// Error{InvalidInput} when the folder cannot be made or written.
    void requireWritable() const;
    /// Writes what `edit` makes of the entries, which are null where none can be read. Other
    /// threads and processes that change the table wait meanwhile; `stop` ends such a wait with
    /// Error{Cancelled}. Errors as requireWritable(), and Error{Device} when the disk is full.
    void change(const std::function<void(Json& entries)>& edit, const StopToken& stop = {}) const;
    /// Adds an entry to a list, in place of each for which `isReplaced` is true. If that throws an
    /// Error, none of the others is kept. Errors as change().
    void put(const Json& entry,
             const std::function<bool(const Json& other)>& isReplaced,
             const StopToken& stop = {}) const;

private:
    [[nodiscard]] std::string path() const;
    [[nodiscard]] Json entriesOrNull() const;

    std::string folder_;
    Form form_;
};

/// Runs `action`; an Error{InvalidInput} of it states which folder to choose.
void withCacheFolderHint(const std::function<void()>& action);

}  // namespace lowtide::files
