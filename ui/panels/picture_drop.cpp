#include "ui/panels/picture_drop.hpp"

#include "ui/bridge/picture_load.hpp"

#include <QCheckBox>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

namespace lowtide::ui {

PictureDrop::PictureDrop(Settings& settings, QWidget* window)
    : QObject(window), settings_(settings), window_(window) {}

void PictureDrop::take(const QString& path, QPointF at) {
    loadPictureLater(path, this, [this, at](const LoadedPicture& picture) {
        if (!picture.problem.isEmpty()) {
            Q_EMIT refused(picture.path, picture.problem);
        } else if (picture.graphText().empty()) {
            Q_EMIT useAsInput(picture.path, at);
        } else {
            waiting_.push_back({picture.path, at});
            askNext();
        }
    });
}

void PictureDrop::askNext() {
    while (!question_ && !waiting_.empty()) {
        const Dropped next = waiting_.front();
        waiting_.pop_front();
        const DroppedPicture known = settings_.preferences().droppedPicture;
        known == DroppedPicture::Ask ? ask(next) : decide(next, known);
    }
}

void PictureDrop::ask(const Dropped& dropped) {
    question_ = new QMessageBox(
        QMessageBox::Question,
        tr("Dropped picture"),
        tr("%1 carries the graph that made it.").arg(QFileInfo(dropped.path).fileName()),
        QMessageBox::Cancel,
        window_);
    question_->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* open = question_->addButton(tr("Open graph"), QMessageBox::AcceptRole);
    QPushButton* use = question_->addButton(tr("Use as input"), QMessageBox::ActionRole);
    open->setObjectName(QStringLiteral("openGraph"));
    use->setObjectName(QStringLiteral("useAsInput"));
    question_->setDefaultButton(open);
    auto* keep = new QCheckBox(tr("Do this for every dropped picture"), question_);
    keep->setObjectName(QStringLiteral("keepAnswer"));
    question_->setCheckBox(keep);
    const auto answer = [this, dropped, keep](DroppedPicture what) {
        if (keep->isChecked()) {
            settings_.change([&](Preferences& preferences) { preferences.droppedPicture = what; });
        }
        decide(dropped, what);
    };
    connect(open, &QPushButton::clicked, this, [answer] { answer(DroppedPicture::OpenGraph); });
    connect(use, &QPushButton::clicked, this, [answer] { answer(DroppedPicture::UseAsInput); });
    // Later: what a button does comes after it has closed the question.
    connect(
        question_,
        &QDialog::finished,
        this,
        [this] {
            question_.clear();
            askNext();
        },
        Qt::QueuedConnection);
    question_->open();
}

void PictureDrop::decide(const Dropped& dropped, DroppedPicture what) {
    what == DroppedPicture::OpenGraph ? Q_EMIT openGraph(dropped.path)
                                      : Q_EMIT useAsInput(dropped.path, dropped.at);
}

}  // namespace lowtide::ui
