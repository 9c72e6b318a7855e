#include "ui/document/journal_text.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "ui/document/opened_graph.hpp"

namespace lowtide::ui {

namespace {

constexpr int64_t kFormat = 1;
/// A journal is its document and one level around it.
constexpr JsonLimits kLimits = {.maxBytes = 128u << 20, .maxDepth = 66};

QString textMember(const JsonReader& reader, const char* key) {
    const std::optional<std::string> text = reader.text(key);
    if (!text) {
        throw Error(ErrorKind::Corrupt, reader.what() + " has no \"" + key + "\"");
    }
    return QString::fromStdString(*text);
}

os::Program programFrom(const Json& json) {
    const JsonReader journal(json, "journal");
    const Json* program = journal.member("program");
    if (journal.integer("journal") != kFormat || !program) {
        throw Error(ErrorKind::Corrupt, "journal does not say who writes it");
    }
    const JsonReader reader(*program, "program of the journal");
    return {.number = reader.integer("number").value_or(0),
            .startedAt = textMember(reader, "started_at"),
            .machineStart = textMember(reader, "machine_start"),
            .machineId = QString::fromStdString(reader.text("machine_id").value_or("")),
            .processes = QString::fromStdString(reader.text("processes").value_or("")),
            .machine = textMember(reader, "machine")};
}

}  // namespace

std::string textOf(const JournalText& journal) {
    const os::Program& program = journal.program;
    const Json json = {{"journal", kFormat},
                       {"program",
                        {{"number", program.number},
                         {"started_at", program.startedAt.toStdString()},
                         {"machine_start", program.machineStart.toStdString()},
                         {"machine_id", program.machineId.toStdString()},
                         {"processes", program.processes.toStdString()},
                         {"machine", program.machine.toStdString()}}},
                       {"path", journal.path.toStdString()},
                       {"graph_folder", journal.graphFolder.toStdString()},
                       {"written_at", journal.writtenAt.toStdString()},
                       {"document", graph::toJson(journal.document)}};
    try {
        return json.dump() + "\n";
    } catch (const Json::exception&) {
        throw Error(ErrorKind::InvalidInput, "the graph holds a text that is not UTF-8");
    }
}

os::Program programOf(const std::string& text) {
    return programFrom(parseJson(text, "journal", kLimits));
}

JournalText journalFrom(const std::string& text) {
    const Json json = parseJson(text, "journal", kLimits);
    const JsonReader reader(json, "journal");
    const Json* document = reader.member("document");
    if (!document) {
        throw Error(ErrorKind::Corrupt, "journal holds no document");
    }
    const QString path = textMember(reader, "path");
    const std::optional<std::string> folder = reader.text("graph_folder");
    return {.program = programFrom(json),
            .path = path,
            .graphFolder = folder ? QString::fromStdString(*folder) : graphFolderOf(path),
            .writtenAt = textMember(reader, "written_at"),
            .document = graph::documentFromJson(*document)};
}

}  // namespace lowtide::ui
