#include "ui/document/step_texts.hpp"

#include "ui/document/edit_command.hpp"

namespace lowtide::ui {

namespace {

/// Texts that are not UTF-8 may be on the stack: a file's name can be.
std::string textOf(const Json& values) {
    return values.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void visitTexts(GraphModel& model, const std::function<void(std::string_view)>& visit) {
    visit(textOf(graph::toJson(model.document())));
    const QUndoStack& steps = model.undoStack();
    for (int index = 0; index < steps.count(); ++index) {
        const auto* step = dynamic_cast<const EditCommand*>(steps.command(index));
        if (!step) {
            continue;
        }
        for (const auto& [id, change] : step->patch().nodes) {
            for (const auto* node : {&change.before, &change.after}) {
                if (*node) {
                    visit(textOf((*node)->params));
                }
            }
        }
    }
}

}  // namespace lowtide::ui
