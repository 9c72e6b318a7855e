#include "ui/document/graph_model.hpp"

#include "plugin/base/error.hpp"
#include "ui/document/edit_command.hpp"
#include "ui/document/patch.hpp"

#include <utility>

namespace lowtide::ui {

GraphModel::GraphModel(const graph::Catalog& catalog, QObject* parent)
    : QObject(parent),
      catalog_(catalog),
      forJobs_(std::make_shared<const graph::Catalog>(catalog.nodes())) {
    connect(&undoStack_, &QUndoStack::indexChanged, this, &GraphModel::tell);
    connect(&undoStack_, &QUndoStack::cleanChanged, this, [this](bool isClean) {
        Q_EMIT modifiedChanged(!isClean);
    });
}

GraphModel::~GraphModel() {
    disconnect(&undoStack_, nullptr, this, nullptr);
}

const graph::DocumentNode* GraphModel::node(const std::string& id) const {
    const auto found = document_.nodes.find(id);
    return found == document_.nodes.end() ? nullptr : &found->second;
}

const NodeDesc* GraphModel::desc(const std::string& id) const {
    const graph::DocumentNode* found = node(id);
    return found ? catalog_.find(found->type) : nullptr;
}

/// What `edit` does to the draft.
Patch GraphModel::drafted(const Edit& edit) {
    LOWTIDE_ASSERT(!isEditing_);
    isEditing_ = true;
    try {
        edit(draft_);
    } catch (...) {
        isEditing_ = false;
        draft_ = document_;
        throw;
    }
    isEditing_ = false;
    sortLinks(draft_);
    return patchBetween(document_, draft_);
}

/// A step that began before it ends here: it would take back what is written now.
void GraphModel::adjust(const Edit& edit) {
    endMerging();
    const Patch patch = drafted(edit);
    applyPatch(document_, patch, Direction::Forward);
    append(untold_, deltaOf(patch, Direction::Forward));
    tell();
}

void GraphModel::apply(const QString& text, const Edit& edit, const QString& mergeKey) {
    Patch patch = drafted(edit);
    if (patch.isEmpty()) {
        return;
    }
    isDrafted_ = true;
    undoStack_.push(new EditCommand(*this, std::move(patch), text, mergeKey, mergeGeneration_));
    tell();  // inside a macro the stack says nothing
}

void GraphModel::endMerging() {
    ++mergeGeneration_;
}

void GraphModel::load(graph::Document document, bool isSaved) {
    endMerging();
    document_ = std::move(document);
    sortLinks(document_);
    draft_ = document_;
    untold_ = {.reset = true};
    undoStack_.clear();
    if (!isSaved) {
        undoStack_.resetClean();
    }
    tell();
}

void GraphModel::setSaved() {
    undoStack_.setClean();
}

bool GraphModel::isModified() const {
    return !undoStack_.isClean();
}

void GraphModel::take(const Patch& patch, bool isForward) {
    const Direction direction = isForward ? Direction::Forward : Direction::Back;
    applyPatch(document_, patch, direction);
    if (!std::exchange(isDrafted_, false)) {
        applyPatch(draft_, patch, direction);
    }
    append(untold_, deltaOf(patch, direction));
}

void GraphModel::tell() {
    const Delta delta = std::exchange(untold_, {});
    if (!delta.isEmpty()) {
        Q_EMIT changed(delta);
    }
}

}  // namespace lowtide::ui
