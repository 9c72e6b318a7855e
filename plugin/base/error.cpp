#include "plugin/base/error.hpp"

#include <cstring>
#include <utility>

namespace lowtide {

Error::Error(ErrorKind kind, Message message, Message hint, std::string item)
    : kind_(kind), message_(std::move(message)), hint_(std::move(hint)), item_(std::move(item)) {}

void requireThat(bool holds, const Message& message, const Message& hint, const char* item) {
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

void assertionFailed(const char* condition, const char* file, int line) {
    const char* name = std::strrchr(file, '/');
    throw Error(ErrorKind::Internal,
                message("{}:{}: {} does not hold", name ? name + 1 : file, line, condition),
                message("this is a bug of the program; please report it with the graph"));
}

}  // namespace lowtide
