#include "ui/panels/image_drop.hpp"

#include "ui/bridge/image_load.hpp"

#include <QCheckBox>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

namespace lowtide::ui {

ImageDrop::ImageDrop(Settings& settings, QWidget* window)
    : QObject(window), settings_(settings), window_(window) {}

void ImageDrop::take(const QString& path, const DropSpot& spot) {
    loadImageLater(path, this, [this, spot](const LoadedImage& image) {
        if (!image.problem.isEmpty()) {
            Q_EMIT refused(image.path, image.problem);
            return;
        }
        if (image.graphText().empty() && !image.isForeign) {
            Q_EMIT useAsInput(image.path, spot);
            return;
        }
        waiting_.push_back({image.path, spot, image.isForeign});
        askNext();
    });
}

void ImageDrop::askNext() {
    while (!question_ && !waiting_.empty()) {
        const Dropped next = waiting_.front();
        waiting_.pop_front();
        const DroppedImage known = settings_.preferences().droppedImage;
        known == DroppedImage::Ask ? ask(next) : decide(next, known);
    }
}

void ImageDrop::ask(const Dropped& dropped) {
    question_ = new QMessageBox(
        QMessageBox::Question,
        tr("Dropped image"),
        (dropped.isForeign ? tr("%1 carries a workflow or settings of another program.")
                           : tr("%1 carries the graph that made it."))
            .arg(QFileInfo(dropped.path).fileName()),
        QMessageBox::Cancel,
        window_);
    question_->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* open = question_->addButton(tr("Open graph"), QMessageBox::AcceptRole);
    QPushButton* use = question_->addButton(tr("Use as input"), QMessageBox::ActionRole);
    open->setObjectName(QStringLiteral("openGraph"));
    use->setObjectName(QStringLiteral("useAsInput"));
    question_->setDefaultButton(open);
    auto* keep = new QCheckBox(tr("Do this for every dropped image"), question_);
    keep->setObjectName(QStringLiteral("keepAnswer"));
    question_->setCheckBox(keep);
    const auto answer = [this, dropped, keep](DroppedImage what) {
        if (keep->isChecked()) {
            settings_.change([&](Preferences& preferences) { preferences.droppedImage = what; });
        }
        decide(dropped, what);
    };
    connect(open, &QPushButton::clicked, this, [answer] { answer(DroppedImage::OpenGraph); });
    connect(use, &QPushButton::clicked, this, [answer] { answer(DroppedImage::UseAsInput); });
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

void ImageDrop::decide(const Dropped& dropped, DroppedImage what) {
    what == DroppedImage::OpenGraph ? Q_EMIT openGraph(dropped.path)
                                    : Q_EMIT useAsInput(dropped.path, dropped.spot);
}

}  // namespace lowtide::ui
