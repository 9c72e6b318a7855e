#include "plugin/tensor/memory_errors.hpp"

#include <c10/util/Exception.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <string>

namespace lowtide::tensor {

namespace {

/// The size behind "tried to allocate": "123 bytes" or "2.50 GiB". 0 when there is none.
Bytes bytesAsked(const std::string& text) {
    static constexpr std::string_view kIntro = "ried to allocate ";
    const size_t intro = text.find(kIntro);
    if (intro == text.npos) {
        return 0;
    }
    const char* start = text.c_str() + intro + kIntro.size();
    char* end = nullptr;
    const double number = std::strtod(start, &end);
    const std::string_view unit = end;
    const double factor = unit.starts_with(" GiB")   ? static_cast<double>(kGiB)
                          : unit.starts_with(" MiB") ? static_cast<double>(kMiB)
                          : unit.starts_with(" KiB") ? static_cast<double>(kKiB)
                                                     : 1;
    const double bytes = number * factor;
    return std::isfinite(bytes) && bytes > 0 && bytes < 9e18 ? static_cast<Bytes>(bytes) : 0;
}

bool saysOutOfMemory(const std::string& text) {
    return text.find("can't allocate memory") != text.npos ||
           text.find("not enough memory") != text.npos;
}

}  // namespace

std::optional<Bytes> refusedBytes(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error)) {
        return 0;
    }
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    if (!torch) {
        return std::nullopt;
    }
    const std::string text = torch->what_without_backtrace();
    const bool isTyped = dynamic_cast<const c10::OutOfMemoryError*>(torch) != nullptr;
    return isTyped || saysOutOfMemory(text) ? std::optional(bytesAsked(text)) : std::nullopt;
}

}  // namespace lowtide::tensor
