#include "plugin/base/error.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace lowtide {

Error::Error(ErrorKind kind, std::string message, std::string hint, std::string item)
    : kind_(kind), message_(std::move(message)), hint_(std::move(hint)), item_(std::move(item)) {}

void requireThat(bool holds,
                 const std::string& message,
                 const std::string& hint,
                 const char* item) {
    if (!holds) {
        throw Error(ErrorKind::InvalidInput, message, hint, item);
    }
}

std::string_view codeOf(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::InvalidInput:
            return "invalid_input";
        case ErrorKind::NotFound:
            return "not_found";
        case ErrorKind::Unsupported:
            return "unsupported";
        case ErrorKind::Corrupt:
            return "corrupt_file";
        case ErrorKind::OutOfMemory:
            return "out_of_memory";
        case ErrorKind::Device:
            return "device_failed";
        case ErrorKind::Cancelled:
            return "cancelled";
        case ErrorKind::Internal:
            return "internal_error";
    }
    return "internal_error";
}

void assertionFailed(const char* condition, const char* file, int line) noexcept {
    const char* name = std::strrchr(file, '/');
    std::fprintf(
        stderr, "lowtide: internal error: %s (%s:%d)\n", condition, name ? name + 1 : file, line);
    std::abort();
}

}  // namespace lowtide
