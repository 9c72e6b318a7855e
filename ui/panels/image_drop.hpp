#pragma once

#include "ui/bridge/settings.hpp"
#include "ui/document/file_target.hpp"

#include <QMessageBox>
#include <QPointer>
#include <QWidget>

#include <deque>

namespace lowtide::ui {

/// Decides what becomes of an image that was dropped: one that carries a graph, or
/// what another program made it with, can be opened as that graph or used as input. The user is
/// asked, about one image after the other, and the answer is kept on request. `settings` and
/// `window` must outlive it.
class ImageDrop : public QObject {
    Q_OBJECT

public:
    ImageDrop(Settings& settings, QWidget* window);

    /// Reads the file on another thread, then emits one of the signals. `spot` comes back with
    /// useAsInput. While a question is open, further ones wait.
    void take(const QString& path, const DropSpot& spot);

    /// The open question; nullptr: none.
    [[nodiscard]] QMessageBox* question() const { return question_; }

Q_SIGNALS:
    void openGraph(const QString& path);
    void useAsInput(const QString& path, const lowtide::ui::DropSpot& spot);
    /// It is not a readable image; `reason` is a sentence.
    void refused(const QString& path, const QString& reason);

private:
    struct Dropped {
        QString path;
        DropSpot spot;
        bool isForeign = false;  ///< it carries what another program wrote
    };

    /// The first of those that wait, where no question is open.
    void askNext();
    void ask(const Dropped& dropped);
    void decide(const Dropped& dropped, DroppedImage what);

    Settings& settings_;
    QWidget* window_;
    QPointer<QMessageBox> question_;
    std::deque<Dropped> waiting_;  ///< for their question
};

}  // namespace lowtide::ui
