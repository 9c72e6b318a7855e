#include "nodes/engine/stage_errors.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/units.hpp"
#include "plugin/tensor/crossing.hpp"

#include <c10/util/Exception.h>

#include <string>

namespace lowtide::nodes {

namespace {

constexpr const char* kReport = "this is a fault of the program; please report it with the graph";

std::string firstLine(std::string text) {
    text.resize(std::min(text.find('\n'), text.size()));
    // "[enforce fail at FILE:LINE] CONDITION. MESSAGE"
    if (text.starts_with("[enforce fail")) {
        const size_t end = text.find(". ");
        text = end == text.npos ? "a check failed" : text.substr(end + 2);
    }
    return text;
}

[[noreturn]] void throwOutOfMemory(const std::string& stage, Bytes bytes) {
    const std::string size = bytes > 0 ? ", " + formatBytes(bytes) + " were asked for" : "";
    Error error(ErrorKind::OutOfMemory,
                stage + ": the memory is used up" + size,
                "choose a smaller picture or batch, or a tighter memory policy");
    throw error.withBytesAsked(bytes);
}

[[noreturn]] void throwFrom(const std::string& stage, const std::exception& error) {
    if (const std::optional<Bytes> bytes = tensor::refusedBytes(error)) {
        throwOutOfMemory(stage, *bytes);
    }
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    const std::string what =
        torch ? "the tensor library refused: " + firstLine(torch->what_without_backtrace())
              : firstLine(error.what());
    throw Error(ErrorKind::Internal, stage + ": " + what, kReport);
}

}  // namespace

void rethrowAsError(std::string_view stageName) {
    const std::string stage(stageName);
    try {
        throw;
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        throwFrom(stage, error);
    } catch (...) {
        throw Error(ErrorKind::Internal, stage + ": something unknown was thrown", kReport);
    }
}

}  // namespace lowtide::nodes
