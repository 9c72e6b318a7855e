#pragma once
// Canvas, inspector and memory panel for hosts with Qt Widgets: liblowtide_widgets.so. The only
// header of it; nothing else of the studio is seen.

#include "plugin/host_api/runner.hpp"

#include <QByteArray>
#include <QImage>
#include <QObject>
#include <QString>
#include <QStringList>

#include <memory>

#ifdef LOWTIDE_WIDGETS_BUILD
#define LOWTIDE_WIDGETS_API Q_DECL_EXPORT
#else
#define LOWTIDE_WIDGETS_API Q_DECL_IMPORT
#endif

class QUndoStack;
class QWidget;

namespace lowtide {

/// One graph that a user edits and runs, with three widgets that show it. The host places the
/// widgets, saves the text and keeps the undo stack in its menus. GUI thread only; it never waits
/// for the module.
class LOWTIDE_WIDGETS_API GraphEditor : public QObject {
    Q_OBJECT

public:
    enum class Scheme { Light, Dark };
    enum class Ended { Finished, Failed, Cancelled };

    /// `plugin` was started and outlives the editor, which never stops its runner: the host does,
    /// after it. Throws std::runtime_error when the plugin was not started.
    explicit GraphEditor(Plugin& plugin, QObject* parent = nullptr);
    /// Cancels its own runs and waits for their end. Deletes those widgets that are still there.
    ~GraphEditor() override;

    /// They belong to the editor until they have a parent.
    [[nodiscard]] QWidget& canvas();
    [[nodiscard]] QWidget& inspector();
    [[nodiscard]] QWidget& memoryPanel();
    /// Every edit is a step of it; a graph that is loaded empties it.
    [[nodiscard]] QUndoStack& undoStack();

    /// Another graph, as text of its file (docs/presets.md). Empty when it was taken; otherwise why
    /// not, and the graph is left as it was.
    [[nodiscard]] QString load(const QByteArray& graph);
    [[nodiscard]] QByteArray graph() const;
    /// Takes what a user is typing into a field into the graph: before it is saved or closed.
    void commit();
    [[nodiscard]] bool isModified() const;
    /// The host has saved graph().
    void setSaved();

    /// Options of runs and plans (docs/events.md) as a JSON object: "out", "device",
    /// "memoryBudget", "graphFolder" ... False when it is none.
    bool setOptions(const QByteArray& options);
    /// Queues the graph as it stands, with seeds renewed as their mode states; its number. 0:
    /// something is typed that cannot be read; its field is marked and has the focus.
    quint64 run();
    /// The run that runs now, if there is one.
    void cancel(CancelMode mode);
    [[nodiscard]] bool isBusy() const;

    /// Scrolls the canvas to a node and marks the port or row `item`.
    void reveal(const QString& node, const QString& item = {});

    /// Colours of all editors of the program; at first those nearer to the host's palette.
    static void setScheme(Scheme scheme);
    /// Language of all editors that are made from now on, "en" or "zh_CN"; at first that of the
    /// host's QLocale. What is not spoken is English.
    static void setLanguage(const QString& code);

Q_SIGNALS:
    void changed();  ///< the graph
    void modifiedChanged(bool isModified);
    void selectionChanged(const QStringList& nodes);
    void busyChanged(bool isBusy);
    /// What a node made, or shows while it is at work (isPreview; option "previews"); at most 512
    /// pixels a side.
    void nodeImage(quint64 run, const QString& node, const QImage& nodeImage, bool isPreview);
    /// `files`: what it wrote; `reason`: why it failed, for a user.
    void runEnded(quint64 run,
                  lowtide::GraphEditor::Ended ended,
                  const QStringList& files,
                  const QString& reason);
    /// A part of an editor of this program failed, for a reason that nobody expected. No exception
    /// reaches the host: neither from a call nor from an event of these widgets.
    void failed(const QString& reason);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void guardAll();

    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace lowtide
