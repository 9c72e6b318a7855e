#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/files/cache_table.hpp"
#include "plugin/memory/device_profile.hpp"

#include <optional>
#include <string>

namespace lowtide::executor {

/// A profile that may be used, or why none may: both empty when the device was never measured.
struct FoundProfile {
    std::optional<memory::DeviceProfile> profile;
    std::string problem;  ///< in words, with what to do
};

/// Measured device profiles of one user, in one JSON file of the cache folder.
class ProfileStore {
public:
    /// `folder` empty: nothing is found and nothing can be stored.
    explicit ProfileStore(std::string folder);

    /// The profile that was measured under this very key. Never throws: what cannot be read, is of
    /// another form, machine, version or number of threads is a problem.
    [[nodiscard]] FoundProfile find(const memory::ProfileKey& key) const;

    /// Error{InvalidInput} when the folder cannot be made or written.
    void requireWritable() const { table_.requireWritable(); }

    /// Adds it, in place of one with the same key. The newest ones are kept; a file that cannot be
    /// read is replaced. `stop` ends a wait for another process that stores. Error{InvalidInput}
    /// when the folder cannot be written, Error{Device} when the disk is full, Error{Cancelled}.
    void store(const memory::MeasuredProfile& measured, const StopToken& stop = {}) const;

private:
    files::CacheTable table_;
};

}  // namespace lowtide::executor
