#include "plugin/models/stage_errors.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"

#include <c10/util/Exception.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <string>

namespace lowtide::models {

namespace {

std::string firstLine(std::string text) {
    text.resize(std::min(text.find('\n'), text.size()));
    // "[enforce fail at FILE:LINE] CONDITION. MESSAGE"
    if (text.starts_with("[enforce fail")) {
        const size_t end = text.find(". ");
        text = end == text.npos ? "a check failed" : text.substr(end + 2);
    }
    return text;
}

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

[[noreturn]] void throwOutOfMemory(const std::string& stage, Bytes bytes) {
    const std::string size = bytes > 0 ? ", " + formatBytes(bytes) + " were asked for" : "";
    Error error(ErrorKind::OutOfMemory,
                stage + ": the memory is used up" + size,
                "choose a smaller picture or batch, or a tighter memory policy");
    throw error.withBytesAsked(bytes);
}

bool saysOutOfMemory(const std::string& text) {
    return text.find("can't allocate memory") != text.npos ||
           text.find("not enough memory") != text.npos;
}

[[noreturn]] void throwFromTorch(const std::string& stage, const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    if (saysOutOfMemory(text)) {
        throwOutOfMemory(stage, bytesAsked(text));
    }
    throw Error(ErrorKind::Internal,
                stage + ": the tensor library refused: " + firstLine(text),
                "this is a fault of the program; please report it with the graph");
}

}  // namespace

void rethrowAsError(std::string_view stageName) {
    const std::string stage(stageName);
    try {
        throw;
    } catch (const Error&) {
        throw;
    } catch (const c10::OutOfMemoryError& error) {
        throwOutOfMemory(stage, bytesAsked(error.what_without_backtrace()));
    } catch (const c10::Error& error) {
        throwFromTorch(stage, error);
    } catch (const std::bad_alloc&) {
        throwOutOfMemory(stage, 0);
    } catch (const std::exception& error) {
        throw Error(ErrorKind::Internal,
                    stage + ": " + firstLine(error.what()),
                    "this is a fault of the program; please report it with the graph");
    } catch (...) {
        throw Error(ErrorKind::Internal,
                    stage + ": something unknown was thrown",
                    "this is a fault of the program; please report it with the graph");
    }
}

}  // namespace lowtide::models
