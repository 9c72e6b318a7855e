#pragma once

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <QObject>
#include <QString>
#include <QUndoGroup>
#include <QUndoStack>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace lowtide::ui {

struct Patch;

/// What one edit, undo or redo changed.
struct Delta {
    std::set<std::string> added;    ///< nodes
    std::set<std::string> removed;  ///< nodes
    std::set<std::string> changed;  ///< nodes whose values, title, mode, memory or precision differ
    std::set<std::string> moved;    ///< nodes of which only the position differs
    bool links = false;
    bool frames = false;
    bool notes = false;
    bool groups = false;
    bool exposed = false;
    bool settings = false;   ///< budget, device, thresholds, exact
    bool reset = false;      ///< another document: forget what was shown
    bool isOther = false;    ///< with reset: it was open already, behind the one that was shown
    bool onlyLooks = false;  ///< titles, collapsed nodes, reroutes ...: no run and no check differs

    [[nodiscard]] bool isEmpty() const;
    /// Whether a run could give something else, or a check could report something else.
    [[nodiscard]] bool changesMeaning() const;
};

using Edit = std::function<void(graph::Document&)>;

/// Which of the open documents. No number is used twice.
using DocumentId = quint64;

/// The graph that is being edited, one of those that are open, each with its own undo stack. What a
/// user changes goes through apply(), so that it can be undone; one gesture is one step. Where no
/// document is named, the shown one is meant. `catalog` must outlive it. GUI thread only.
class GraphModel : public QObject {
    Q_OBJECT

public:
    explicit GraphModel(const graph::Catalog& catalog, QObject* parent = nullptr);
    ~GraphModel() override;

    [[nodiscard]] const graph::Document& document() const { return shown_->document; }

    // Open documents. At first there is one, which is empty.
    [[nodiscard]] DocumentId shown() const { return shown_->id; }

    [[nodiscard]] bool isOpen(DocumentId id) const;
    /// The document must be open, here and below.
    [[nodiscard]] const graph::Document& document(DocumentId id) const;
    [[nodiscard]] QUndoStack& undoStack(DocumentId id);
    /// Opens another one behind the shown one. `isSaved`: no, it counts as modified.
    DocumentId add(graph::Document document, bool isSaved = true);
    /// Views get it as another document, with its own steps to undo.
    void show(DocumentId id);
    /// Not the shown one. Its steps go with it.
    void close(DocumentId id);

    [[nodiscard]] const graph::Catalog& catalog() const { return catalog_; }

    /// The same for jobs on other threads: another language of the program changes the texts of
    /// catalog(), of this one never.
    [[nodiscard]] std::shared_ptr<const graph::Catalog> catalogForJobs() const { return forJobs_; }

    [[nodiscard]] QUndoStack& undoStack() { return shown_->steps; }

    /// Undoes and redoes in the shown document, whichever that is.
    [[nodiscard]] QUndoGroup& undoGroup() { return stacks_; }

    /// nullptr: there is no such node.
    [[nodiscard]] const graph::DocumentNode* node(const std::string& id) const;
    /// nullptr: the node is unknown here, a placeholder.
    [[nodiscard]] const NodeDesc* desc(const std::string& id) const;

    /// Makes the change one step of the undo stack, called `text` for a user; nothing when it
    /// changes nothing. Steps of equal `mergeKey` that follow each other become one until
    /// endMerging(); an empty one never merges. Throws what `edit` throws, unchanged.
    void apply(const QString& text, const Edit& edit, const QString& mergeKey = {});
    /// Changes values of nodes that are there without a step, for what a run decides: neither undo
    /// nor redo nor the mark of changes know of it. A step that replaces the node replaces it too.
    void adjust(const Edit& edit);
    /// The gesture is over: the next step of the same key is a new one.
    void endMerging();
    /// Another document; the undo stack is emptied. `isSaved`: no, it counts as modified.
    void load(graph::Document document, bool isSaved = true);
    /// The document as it is counts as saved.
    void setSaved();
    [[nodiscard]] bool isModified() const;

Q_SIGNALS:
    void changed(const lowtide::ui::Delta& delta);
    void modifiedChanged(bool isModified);
    /// Any open document was saved, or is no longer what was saved.
    void savedChanged(lowtide::ui::DocumentId id, bool isSaved);
    /// Another document is about to be shown: what is being typed belongs to this one.
    void leaving();
    void closed(lowtide::ui::DocumentId id);

private:
    friend class EditCommand;
    friend void visitTexts(GraphModel& model, const std::function<void(std::string_view)>& visit);

    struct OpenDocument {
        DocumentId id = 0;
        graph::Document document{};
        graph::Document draft{};  ///< equal to `document` between edits, which work on it
        QUndoStack steps{};
    };

    OpenDocument& opened(DocumentId id);
    static void fill(OpenDocument& open, graph::Document document, bool isSaved);
    [[nodiscard]] Patch drafted(const Edit& edit);
    void take(const Patch& patch, bool isForward);
    void notify();

    const graph::Catalog& catalog_;
    const std::shared_ptr<const graph::Catalog> forJobs_;
    QUndoGroup stacks_;
    std::map<DocumentId, std::unique_ptr<OpenDocument>> open_;
    OpenDocument* shown_ = nullptr;
    DocumentId lastId_ = 0;
    Delta untold_;  ///< taken, but changed() was not emitted yet
    int mergeGeneration_ = 0;
    bool isEditing_ = false;
    bool isDrafted_ = false;  ///< what is taken next stands in the draft already
};

/// Calls `visit` with the text of each open document and with the values of nodes that steps of its
/// undo stack replaced or brought, so with all that undoing and redoing can bring back.
void visitTexts(GraphModel& model, const std::function<void(std::string_view)>& visit);

}  // namespace lowtide::ui
