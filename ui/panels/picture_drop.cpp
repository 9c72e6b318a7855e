#include "ui/panels/picture_drop.hpp"

#include "ui/panels/picture_load.hpp"

#include <QCheckBox>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

namespace lowtide::ui {

PictureDrop::PictureDrop(Settings& settings, QWidget* window)
    : QObject(window), settings_(settings), window_(window) {}

void PictureDrop::take(const QString& path) {
    loadPictureLater(path, this, [this](const LoadedPicture& picture) {
        if (!picture.problem.isEmpty()) {
            Q_EMIT refused(picture.path, picture.problem);
        } else if (picture.graphText().empty()) {
            Q_EMIT useAsInput(picture.path);
        } else if (settings_.preferences().droppedPicture == DroppedPicture::Ask) {
            ask(picture.path);
        } else {
            decide(picture.path, settings_.preferences().droppedPicture);
        }
    });
}

void PictureDrop::ask(const QString& path) {
    if (question_) {
        question_->close();
    }
    question_ =
        new QMessageBox(QMessageBox::Question,
                        tr("Dropped picture"),
                        tr("%1 carries the graph that made it.").arg(QFileInfo(path).fileName()),
                        QMessageBox::Cancel,
                        window_);
    question_->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* open = question_->addButton(tr("Open graph"), QMessageBox::AcceptRole);
    QPushButton* use = question_->addButton(tr("Use as input"), QMessageBox::ActionRole);
    open->setObjectName(QStringLiteral("openGraph"));
    use->setObjectName(QStringLiteral("useAsInput"));
    question_->setDefaultButton(open);
    auto* keep = new QCheckBox(tr("Do so with every dropped picture"), question_);
    keep->setObjectName(QStringLiteral("keepAnswer"));
    question_->setCheckBox(keep);
    const auto answer = [this, path, keep](DroppedPicture what) {
        if (keep->isChecked()) {
            settings_.change([&](Preferences& preferences) { preferences.droppedPicture = what; });
        }
        decide(path, what);
    };
    connect(open, &QPushButton::clicked, this, [answer] { answer(DroppedPicture::OpenGraph); });
    connect(use, &QPushButton::clicked, this, [answer] { answer(DroppedPicture::UseAsInput); });
    question_->open();
}

void PictureDrop::decide(const QString& path, DroppedPicture what) {
    what == DroppedPicture::OpenGraph ? Q_EMIT openGraph(path) : Q_EMIT useAsInput(path);
}

}  // namespace lowtide::ui
