#include "ui/document/graph_model.hpp"

#include "plugin/base/error.hpp"
#include "ui/document/patch.hpp"

#include <QUndoCommand>

#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kMerges = 1;
constexpr int kNeverMerges = -1;

/// Texts that are not UTF-8 may be on the stack: a file's name can be.
std::string textOf(const Json& values) {
    return values.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

/// One step of GraphModel's undo stack.
class EditCommand final : public QUndoCommand {
public:
    /// Steps of equal, not empty `mergeKey` and equal `generation` merge.
    EditCommand(
        GraphModel& model, Patch patch, const QString& text, QString mergeKey, int generation)
        : QUndoCommand(text),
          model_(model),
          patch_(std::move(patch)),
          mergeKey_(std::move(mergeKey)),
          generation_(generation) {}

    void undo() override {
        model_.endMerging();
        model_.take(patch_, /*isForward=*/false);
    }

    void redo() override {
        if (wasDone_) {
            model_.endMerging();
        }
        wasDone_ = true;
        model_.take(patch_, /*isForward=*/true);
    }

    [[nodiscard]] int id() const override { return mergeKey_.isEmpty() ? kNeverMerges : kMerges; }

    bool mergeWith(const QUndoCommand* other) override {
        const auto* next = dynamic_cast<const EditCommand*>(other);
        if (!next || next->mergeKey_ != mergeKey_ || next->generation_ != generation_) {
            return false;
        }
        append(patch_, next->patch_);
        setText(next->text());
        setObsolete(patch_.isEmpty());
        return true;
    }

    [[nodiscard]] const Patch& patch() const { return patch_; }

private:
    GraphModel& model_;
    Patch patch_;
    const QString mergeKey_;
    const int generation_;
    bool wasDone_ = false;
};

GraphModel::GraphModel(const graph::Catalog& catalog, QObject* parent)
    : QObject(parent),
      catalog_(catalog),
      forJobs_(std::make_shared<const graph::Catalog>(catalog.nodes())) {
    connect(&undoStack_, &QUndoStack::indexChanged, this, &GraphModel::notify);
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
    notify();
}

void GraphModel::apply(const QString& text, const Edit& edit, const QString& mergeKey) {
    Patch patch = drafted(edit);
    if (patch.isEmpty()) {
        return;
    }
    isDrafted_ = true;
    undoStack_.push(new EditCommand(*this, std::move(patch), text, mergeKey, mergeGeneration_));
    notify();  // inside a macro the stack emits nothing
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
    notify();
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

void GraphModel::notify() {
    const Delta delta = std::exchange(untold_, {});
    if (!delta.isEmpty()) {
        Q_EMIT changed(delta);
    }
}

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
