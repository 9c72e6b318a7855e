#include "ui/studio/arrivals.hpp"

#include "ui/document/json_members.hpp"
#include "ui/document/node_title.hpp"
#include "ui/language/language.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

namespace lowtide::ui {

namespace {

class ArrivalWords {
    Q_DECLARE_TR_FUNCTIONS(Arrivals)
};

QString nameOfFile(const std::string& path) {
    return QFileInfo(QString::fromStdString(path)).fileName();
}

QString titlesOf(const GraphModel& model, const NodeIds& ids) {
    QStringList titles;
    for (const std::string& id : ids) {
        titles << distinctNodeTitle(model.document(), model.catalog(), id);
    }
    return listed(titles);
}

/// Makes the change a step; false: nothing changed.
bool applyStep(GraphModel& model, const QString& text, const Edit& edit) {
    const int before = model.undoStack().index();
    model.endMerging();
    model.apply(text, edit);
    model.endMerging();
    return model.undoStack().index() != before;
}

/// The button takes back the last step of the graph, so it goes with the next one.
void reportStep(MainWindowWidgets& widgets, const QString& sentence) {
    Workspace& workspace = widgets.workspace;
    NoticeBar& notices = widgets.notices;
    const auto undo = [&model = workspace.model] { model.undoStack().undo(); };
    const quint64 notice =
        notices.showOfDocument(NoticeKind::Info, sentence, ArrivalWords::tr("Undo"), undo);
    QObject::connect(
        &workspace.model.undoStack(),
        &QUndoStack::indexChanged,
        &notices,
        [&notices, notice] { notices.withdraw(notice); },
        Qt::SingleShotConnection);
}

/// On the canvas nothing moves under the pointer, and who let go over a field looks at that.
void showNode(MainWindowWidgets& widgets,
              const DropSpot& spot,
              bool isPointed,
              const std::string& node,
              const std::string& param) {
    if (spot.isAt) {
        widgets.canvas.select({node});
    } else if (!isPointed) {
        widgets.showGraph();
        widgets.canvas.reveal(node, param);
    }
}

QString sentenceOf(const GraphModel& model, const std::string& file, const InsertedFile& inserted) {
    const QString name = nameOfFile(file);
    if (!inserted.added.empty()) {
        const QString added = titlesOf(model, inserted.added);
        return inserted.joined.empty()
                   ? ArrivalWords::tr("Added %1 for %2. Connect it to the node that is to use it.")
                         .arg(added, name)
                   : ArrivalWords::tr("Added %1 for %2, connected to %3.")
                         .arg(added, name, titlesOf(model, inserted.joined));
    }
    const QString node = titlesOf(model, {inserted.node});
    return inserted.replaced.empty() ? ArrivalWords::tr("%1 uses %2.").arg(node, name)
                                     : ArrivalWords::tr("%1 uses %2 in place of %3.")
                                           .arg(node, name, nameOfFile(inserted.replaced));
}

}  // namespace

void putFile(MainWindowWidgets& widgets, const Arrival& arrival, const DropSpot& spot) {
    GraphModel& model = widgets.workspace.model;
    const FileTarget target =
        targetFor(model.document(), model.catalog(), arrival, spot, widgets.canvas.selectedNodes());
    if (target.node.empty() && !arrival.newNode) {
        widgets.notices.show(
            NoticeKind::Info,
            ArrivalWords::tr("No node takes such a file. Start the studio with its engine."));
        return;
    }
    InsertedFile inserted;
    const bool hasChanged = applyStep(
        model,
        ArrivalWords::tr("Use %1").arg(nameOfFile(arrival.value)),
        [&](graph::Document& document) {
            inserted = insertFile(
                document, model.catalog(), arrival, target, spot, widgets.canvas.canvasSizes());
        });
    if (spot.taken) {
        spot.taken->insert(inserted.node);
    }
    showNode(widgets, spot, target.isPointed, inserted.node, inserted.param);
    if (!hasChanged) {
        widgets.notices.showOfDocument(
            NoticeKind::Info,
            ArrivalWords::tr("%1 already uses %2.")
                .arg(titlesOf(model, {inserted.node}), nameOfFile(arrival.value)));
    } else if (!target.isPointed || !inserted.added.empty()) {
        reportStep(widgets, sentenceOf(model, arrival.value, inserted));
    }
}

void putWords(MainWindowWidgets& widgets, const QString& words, const DropSpot& spot) {
    GraphModel& model = widgets.workspace.model;
    const std::optional<graph::PortRef> prompt =
        promptFor(model.document(), model.catalog(), spot, widgets.canvas.selectedNodes());
    if (!prompt) {
        widgets.notices.showOfDocument(
            NoticeKind::Info,
            ArrivalWords::tr("No prompt, or more than one, could take it. Drop it "
                             "on the one that is meant, or write %1 there.")
                .arg(words));
        return;
    }
    const bool hasChanged =
        applyStep(model, ArrivalWords::tr("Add %1").arg(words), [&](graph::Document& document) {
            Json& params = document.nodes.at(prompt->node).params;
            params[prompt->port] =
                withWords(textIn(params, prompt->port.c_str()), words.toStdString());
        });
    showNode(widgets, spot, prompt->node == spot.node, prompt->node, prompt->port);
    if (hasChanged) {
        reportStep(widgets,
                   ArrivalWords::tr("%1 is in the prompt of %2.")
                       .arg(words, titlesOf(model, {prompt->node})));
    }
}

}  // namespace lowtide::ui
