#include "ui/programs/program_record.hpp"

#include "plugin/base/error.hpp"

namespace lowtide::ui {

std::string requiredText(const JsonReader& reader, const char* key) {
    std::optional<std::string> text = reader.text(key);
    if (!text) {
        throw Error(ErrorKind::Corrupt, message("{} has no \"{}\"", reader.what(), key));
    }
    return std::move(*text);
}

Json toJson(const os::Program& program) {
    return {{"number", program.number},
            {"started_at", program.startedAt},
            {"machine_start", program.machineStart},
            {"machine_id", program.machineId},
            {"processes", program.processes},
            {"machine", program.machine}};
}

os::Program programFrom(const Json& json, const char* what) {
    const JsonReader reader(json, what);
    return {.number = reader.integer("number").value_or(0),
            .startedAt = requiredText(reader, "started_at"),
            .machineStart = requiredText(reader, "machine_start"),
            .machineId = reader.text("machine_id").value_or(""),
            .processes = reader.text("processes").value_or(""),
            .machine = requiredText(reader, "machine")};
}

}  // namespace lowtide::ui
