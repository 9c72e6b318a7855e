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
    shown_ = open_.at(add({})).get();
    stacks_.setActiveStack(&shown_->steps);
}

GraphModel::~GraphModel() {
    for (const auto& [id, open] : open_) {
        disconnect(&open->steps, nullptr, this, nullptr);
    }
}

bool GraphModel::isOpen(DocumentId id) const {
    return open_.contains(id);
}

GraphModel::OpenDocument& GraphModel::opened(DocumentId id) {
    LOWTIDE_ASSERT(isOpen(id));
    return *open_.at(id);
}

const graph::Document& GraphModel::document(DocumentId id) const {
    LOWTIDE_ASSERT(isOpen(id));
    return open_.at(id)->document;
}

QUndoStack& GraphModel::undoStack(DocumentId id) {
    return opened(id).steps;
}

void GraphModel::fill(OpenDocument& open, graph::Document document, bool isSaved) {
    open.document = std::move(document);
    sortLinks(open.document);
    open.draft = open.document;
    open.steps.clear();
    if (!isSaved) {
        open.steps.resetClean();
    }
}

DocumentId GraphModel::add(graph::Document document, bool isSaved) {
    const DocumentId id = ++lastId_;
    OpenDocument& added = *open_.emplace(id, std::make_unique<OpenDocument>()).first->second;
    added.id = id;
    fill(added, std::move(document), isSaved);
    stacks_.addStack(&added.steps);
    connect(&added.steps, &QUndoStack::indexChanged, this, &GraphModel::notify);
    connect(&added.steps, &QUndoStack::cleanChanged, this, [this, id](bool isClean) {
        Q_EMIT savedChanged(id, isClean);
        if (id == shown()) {
            Q_EMIT modifiedChanged(!isClean);
        }
    });
    return id;
}

void GraphModel::show(DocumentId id) {
    if (id == shown()) {
        return;
    }
    Q_EMIT leaving();
    endMerging();
    const bool wasModified = isModified();
    shown_ = &opened(id);
    untold_ = {.reset = true, .isOther = true};
    stacks_.setActiveStack(&shown_->steps);
    notify();
    if (isModified() != wasModified) {
        Q_EMIT modifiedChanged(isModified());
    }
}

void GraphModel::close(DocumentId id) {
    LOWTIDE_ASSERT(id != shown());
    disconnect(&opened(id).steps, nullptr, nullptr, nullptr);  // it empties itself as it goes
    open_.erase(id);
    Q_EMIT closed(id);
}

const graph::DocumentNode* GraphModel::node(const std::string& id) const {
    const auto found = document().nodes.find(id);
    return found == document().nodes.end() ? nullptr : &found->second;
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
        edit(shown_->draft);
    } catch (...) {
        isEditing_ = false;
        shown_->draft = shown_->document;
        throw;
    }
    isEditing_ = false;
    sortLinks(shown_->draft);
    return patchBetween(shown_->document, shown_->draft);
}

/// A step that began before it ends here: it would take back what is written now.
void GraphModel::adjust(const Edit& edit) {
    endMerging();
    const Patch patch = drafted(edit);
    applyPatch(shown_->document, patch, Direction::Forward);
    append(untold_, deltaOf(patch, Direction::Forward));
    notify();
}

void GraphModel::apply(const QString& text, const Edit& edit, const QString& mergeKey) {
    Patch patch = drafted(edit);
    if (patch.isEmpty()) {
        return;
    }
    isDrafted_ = true;
    undoStack().push(new EditCommand(*this, std::move(patch), text, mergeKey, mergeGeneration_));
    notify();  // inside a macro the stack emits nothing
}

void GraphModel::endMerging() {
    ++mergeGeneration_;
}

void GraphModel::load(graph::Document document, bool isSaved) {
    endMerging();
    untold_ = {.reset = true};
    fill(*shown_, std::move(document), isSaved);
    notify();
}

void GraphModel::setSaved() {
    undoStack().setClean();
}

bool GraphModel::isModified() const {
    return !shown_->steps.isClean();
}

void GraphModel::take(const Patch& patch, bool isForward) {
    const Direction direction = isForward ? Direction::Forward : Direction::Back;
    applyPatch(shown_->document, patch, direction);
    if (!std::exchange(isDrafted_, false)) {
        applyPatch(shown_->draft, patch, direction);
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
    for (const auto& [id, open] : model.open_) {
        visit(textOf(graph::toJson(open->document)));
        for (int index = 0; index < open->steps.count(); ++index) {
            const auto* step = dynamic_cast<const EditCommand*>(open->steps.command(index));
            if (!step) {
                continue;
            }
            for (const auto& [node, change] : step->patch().nodes) {
                for (const auto* each : {&change.before, &change.after}) {
                    if (*each) {
                        visit(textOf((*each)->params));
                    }
                }
            }
        }
    }
}

}  // namespace lowtide::ui
