#include "nodes/engine/stage_errors.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/text.hpp"
#include "plugin/base/units.hpp"
#include "plugin/tensor/transfer.hpp"

#include <c10/util/Exception.h>

#include <string>

namespace lowtide::nodes {

namespace {

constexpr Phrase kReport =
    phrase("this is a fault of the program; please report it with the graph");

std::string shortReason(std::string_view what) {
    const std::string_view line = firstLine(what);
    // "[enforce fail at FILE:LINE] CONDITION. MESSAGE"
    if (line.starts_with("[enforce fail")) {
        const size_t end = line.find(". ");
        return end == line.npos ? "a check failed" : std::string(line.substr(end + 2));
    }
    return std::string(line);
}

[[noreturn]] void throwOutOfMemory(const std::string& stage, Bytes bytes) {
    Error error(
        ErrorKind::OutOfMemory,
        bytes > 0
            ? message("{}: the memory is used up, {} were asked for", stage, formatBytes(bytes))
            : message("{}: the memory is used up", stage),
        message("choose a smaller image or batch, or a tighter memory policy"));
    throw error.withBytesAsked(bytes);
}

[[noreturn]] void throwFrom(const std::string& stage, const std::exception& error) {
    if (const std::optional<Bytes> bytes = tensor::refusedBytes(error)) {
        throwOutOfMemory(stage, *bytes);
    }
    const auto* torch = dynamic_cast<const c10::Error*>(&error);
    const Message what = torch ? message("the tensor library refused: {}",
                                         shortReason(torch->what_without_backtrace()))
                               : Message(shortReason(error.what()));
    throw Error(ErrorKind::Internal, message("{}: {}", stage, what), kReport);
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
        throw Error(
            ErrorKind::Internal, message("{}: something unknown was thrown", stage), kReport);
    }
}

}  // namespace lowtide::nodes
