#pragma once

#include "ui/document/patch.hpp"

#include <QUndoCommand>

namespace lowtide::ui {

/// One step of GraphModel's undo stack.
class EditCommand final : public QUndoCommand {
public:
    /// Steps of equal, not empty `mergeKey` and equal `generation` merge.
    EditCommand(
        GraphModel& model, Patch patch, const QString& text, QString mergeKey, int generation);

    void undo() override;
    void redo() override;
    [[nodiscard]] int id() const override;
    bool mergeWith(const QUndoCommand* other) override;

    [[nodiscard]] const Patch& patch() const { return patch_; }

private:
    GraphModel& model_;
    Patch patch_;
    const QString mergeKey_;
    const int generation_;
    bool wasDone_ = false;
};

}  // namespace lowtide::ui
