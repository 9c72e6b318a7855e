#include "ui/editors/picture_preview.hpp"

#include "ui/bridge/picture_load.hpp"
#include "ui/theme/theme.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>

namespace lowtide::ui {

namespace {

constexpr int kPreviewSide = Theme::space(50);
constexpr int kFilesRow = 1;  ///< of Qt's dialog: the list of files

class PicturePreview final : public QLabel {
public:
    explicit PicturePreview(QWidget* parent) : QLabel(parent) {
        setObjectName(QStringLiteral("preview"));
        setAccessibleName(QFileDialog::tr("Preview"));
        setFixedWidth(kPreviewSide);
        setAlignment(Qt::AlignCenter);
        setWordWrap(true);
    }

    void look(const QString& path) {
        path_ = path;
        clear();
        if (QFileInfo(path).isFile()) {
            loadPictureLater(path, this, [this](const LoadedPicture& loaded) { show(loaded); });
        }
    }

private:
    void show(const LoadedPicture& loaded) {
        if (loaded.path != path_) {
            return;  // another one is pointed at by now
        }
        if (loaded.levels.empty()) {
            setText(loaded.problem);
            return;
        }
        const double scale = devicePixelRatioF();
        const int most = static_cast<int>(kPreviewSide * scale);
        QPixmap picture = QPixmap::fromImage(
            loaded.levels.back().scaled(most, most, Qt::KeepAspectRatio, Qt::SmoothTransformation));
        picture.setDevicePixelRatio(scale);
        setPixmap(picture);
    }

    QString path_;
};

}  // namespace

void addPicturePreview(QFileDialog& dialog) {
    auto* grid = qobject_cast<QGridLayout*>(dialog.layout());
    if (!grid) {
        return;
    }
    auto* preview = new PicturePreview(&dialog);
    grid->addWidget(preview, kFilesRow, grid->columnCount());
    QObject::connect(&dialog, &QFileDialog::currentChanged, preview, &PicturePreview::look);
}

}  // namespace lowtide::ui
