#pragma once

#include "plugin/executor/kept_file.hpp"
#include "plugin/memory/value_codec.hpp"

#include <string>
#include <string_view>

namespace lowtide::executor {

/// Error{InvalidInput} when a value of `bytes` is larger than all that may be kept.
void requireWithinLimit(Bytes bytes, Bytes limit);

/// Values that outlive the process: one safetensors file each in a folder that several processes
/// may share. Files appear whole or not at all; the ones used longest ago go first when a limit is
/// passed. Run thread only.
class DiskCache {
public:
    /// `folder` is made when the first value is kept; empty: nothing can be kept.
    DiskCache(std::string folder, memory::ValueCodecs codecs);

    /// The value of that name and wire type in host form; nullptr when none is kept. Counts as a
    /// use. Error{Corrupt} says why a file is not used; it is removed.
    [[nodiscard]] memory::WireRef find(const KeptName& name, std::string_view type);
    /// Keeps a value in host form, unless it is kept already, and returns the file's bytes. The
    /// files used longest ago go until all together stay within `limit`.
    /// Errors: Error{Unsupported} for a type without a codec or a cache without a folder;
    /// Error{InvalidInput} when the value alone is larger than the limit; those of OutputFile.
    Bytes put(const KeptName& name, const memory::WireRef& value, Bytes limit);

private:
    [[nodiscard]] std::string pathOf(const KeptName& name) const;
    [[nodiscard]] const memory::ValueCodec* codecFor(std::string_view type) const;
    void makeRoom(Bytes limit) const;

    std::string folder_;
    memory::ValueCodecs codecs_;
};

}  // namespace lowtide::executor
