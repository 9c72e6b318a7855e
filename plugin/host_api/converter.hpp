#pragma once

#include "plugin/host_api/runner.hpp"

namespace lowtide {

/// Asked by a conversion, on its thread, between pieces of a few MiB.
class ConversionWatch {
public:
    virtual ~ConversionWatch() = default;
    /// Bytes of the new file's tensors that are written, and all of them. False cancels.
    virtual bool goesOn(int64_t doneBytes, int64_t totalBytes) noexcept = 0;
};

/// Writes checkpoints again in another storage. Plugin::extension(kConverter) gives it once the
/// plugin was started. Any thread.
class Converter {
public:
    virtual ~Converter() = default;
    /// Reads headers. `request`: {"checkpoint", "graphFolder": from which it is seen too}.
    /// `result`:
    /// {"path", "choices": [{"storage", "ending", "contents", "bytes", "source_bytes"}], "issues"}:
    /// where the checkpoint lies, and each storage, the gentlest first, with the ending and the
    /// most bytes of its file and those that the same tensors take now. Invalid when the checkpoint
    /// cannot be converted.
    virtual Status choices(std::string_view request, std::string& result) noexcept = 0;
    /// `request`: the same with "storage" and "out", a file. Returns when the file is written,
    /// whole or not at all. `result`: {"contents", "before", "after": [{"storage", "tensors",
    /// "bytes"}], "rounded_tensors", "worst_error", "worst_tensor", "mean_error", "seconds",
    /// "issues"}; the errors are relative, of the tensors whose numbers are not those of the
    /// source. Invalid when the request or a file cannot be used, Failed when the disk has no room,
    /// Cancelled when `watch` said so.
    virtual Status convert(std::string_view request,
                           ConversionWatch& watch,
                           std::string& result) noexcept = 0;
};

inline constexpr const char* kConverter = "lowtide.converter/2";

}  // namespace lowtide
