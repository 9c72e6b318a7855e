#include "ui/document/edit_command.hpp"

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kMerges = 1;
constexpr int kNeverMerges = -1;

}  // namespace

EditCommand::EditCommand(
    GraphModel& model, Patch patch, const QString& text, QString mergeKey, int generation)
    : QUndoCommand(text),
      model_(model),
      patch_(std::move(patch)),
      mergeKey_(std::move(mergeKey)),
      generation_(generation) {}

void EditCommand::undo() {
    model_.endMerging();
    model_.take(patch_, /*isForward=*/false);
}

void EditCommand::redo() {
    if (wasDone_) {
        model_.endMerging();
    }
    wasDone_ = true;
    model_.take(patch_, /*isForward=*/true);
}

int EditCommand::id() const {
    return mergeKey_.isEmpty() ? kNeverMerges : kMerges;
}

bool EditCommand::mergeWith(const QUndoCommand* other) {
    const auto* next = dynamic_cast<const EditCommand*>(other);
    if (!next || next->mergeKey_ != mergeKey_ || next->generation_ != generation_) {
        return false;
    }
    append(patch_, next->patch_);
    setText(next->text());
    setObsolete(patch_.isEmpty());
    return true;
}

}  // namespace lowtide::ui
