#include "ui/editors/file_editor.hpp"

#include "ui/bridge/image_load.hpp"
#include "ui/editors/param_editor.hpp"
#include "ui/editors/picker.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QStandardPaths>
#include <QStyleOptionFrame>
#include <QToolButton>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kPreviewSide = Theme::space(50);
constexpr int kFilesRow = 1;  ///< of Qt's dialog: the list of files

class ImagePreview final : public QLabel {
public:
    explicit ImagePreview(QWidget* parent) : QLabel(parent) {
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
            loadImageLater(path, this, [this](const LoadedImage& loaded) { show(loaded); });
        }
    }

private:
    void show(const LoadedImage& loaded) {
        if (loaded.path != path_) {
            return;  // another one is pointed at by now
        }
        if (loaded.levels.empty()) {
            setText(loaded.problem);
            return;
        }
        const double scale = devicePixelRatioF();
        const int most = static_cast<int>(kPreviewSide * scale);
        QPixmap image = QPixmap::fromImage(
            loaded.levels.back().scaled(most, most, Qt::KeepAspectRatio, Qt::SmoothTransformation));
        image.setDevicePixelRatio(scale);
        setPixmap(image);
    }

    QString path_;
};

/// Shows the selected image next to the files, as it will be read, or why it cannot be.
/// The desktop's own dialogs, which show images themselves, are left as they are.
void addImagePreview(QFileDialog& dialog) {
    auto* grid = qobject_cast<QGridLayout*>(dialog.layout());
    if (!grid) {
        return;
    }
    auto* preview = new ImagePreview(&dialog);
    grid->addWidget(preview, kFilesRow, grid->columnCount());
    QObject::connect(&dialog, &QFileDialog::currentChanged, preview, &ImagePreview::look);
}

constexpr int kInset = 2;  ///< that QLineEdit leaves next to its text

bool givesImage(const NodeDesc& node) {
    return std::ranges::any_of(node.outputs,
                               [](const PortDesc& output) { return output.type == "IMAGE"; });
}

}  // namespace

QRect PathLine::area() const {
    QStyleOptionFrame option;
    initStyleOption(&option);
    return style()
        ->subElementRect(QStyle::SE_LineEditContents, &option, this)
        .marginsRemoved(textMargins())
        .adjusted(kInset, 0, -kInset, 0);
}

QString PathLine::shown() const {
    return fontMetrics().elidedText(text(), Qt::ElideMiddle, area().width());
}

void PathLine::paintEvent(QPaintEvent* event) {
    const QString path = shown();
    if (hasFocus() || path == text()) {
        QLineEdit::paintEvent(event);
        return;
    }
    QPainter painter(this);
    QStyleOptionFrame option;
    initStyleOption(&option);
    style()->drawPrimitive(QStyle::PE_PanelLineEdit, &option, &painter, this);
    style()->drawItemText(&painter,
                          area(),
                          Qt::AlignLeft | Qt::AlignVCenter,
                          palette(),
                          isEnabled(),
                          path,
                          QPalette::Text);
}

FileEditor::FileEditor(const NodeDesc& node,
                       const ParamDesc& param,
                       const OfferedFiles* offered,
                       QWidget* parent)
    : ParamEditor(param, parent),
      offered_(offered),
      nodeType_(node.id),
      isWritten_(node.sideEffect),
      isImage_(param.kind == ParamKind::File && !node.sideEffect && givesImage(node)),
      path_(named("path", new PathLine(this))) {
    const bool isFolder = param.kind == ParamKind::Folder;
    path_->setPlaceholderText(isFolder ? tr("No folder") : tr("No file"));
    path_->setAccessibleName(accessibleName());
    path_->setAcceptDrops(false);  // a file that is dropped is no text: the window takes it
    QBoxLayout* row = rowIn(this, 1, {{path_, 1}});
    const auto add = [&](const char* icon, const QString& tip, void (FileEditor::*act)()) {
        QToolButton* button = makeIconButton(icon, tip, icon, this);
        button->setAutoRaise(false);
        connect(button, &QToolButton::clicked, this, act);
        row->addWidget(button);
    };
    if (offered_) {
        add("chevron-down", tr("Choose one that is known"), &FileEditor::offer);
    }
    add("folder", tr("Browse…"), &FileEditor::browse);
    setFocusProxy(path_);
    connect(path_, &QLineEdit::textEdited, this, [this](const QString& text) {
        propose(text.toStdString(), false);
    });
    watchTyping(*path_);
}

void FileEditor::showValue() {
    if (const QString text = plainText(value()); text != path_->text()) {
        path_->setText(text);
    }
}

void FileEditor::begin() {
    path_->setFocus(Qt::OtherFocusReason);
    path_->selectAll();
    if (offered_ && !offered_->filesFor(nodeType_, param().id).empty()) {
        offer();
    }
}

void FileEditor::offer() {
    std::vector<SearchItem> items;
    int current = -1;
    for (const OfferedFile& file : offered_->filesFor(nodeType_, param().id)) {
        if (file.value == path_->text()) {
            current = static_cast<int>(items.size());
        }
        items.push_back({.label = file.label,
                         .detail = file.detail,
                         .tooltip = file.value,
                         .choose = [this, path = file.value] { choose(path); }});
    }
    items.push_back({.label = tr("Browse…"), .choose = [this] { browse(); }});
    (new SearchList(std::move(items), this))->openAt(*this, current);
}

void FileEditor::browse() {
    const bool isFolder = param().kind == ParamKind::Folder;
    auto* dialog = new QFileDialog(this, isFolder ? tr("Choose a folder") : tr("Choose a file"));
    beginAtFile(*dialog);
    dialog->setObjectName("browse");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(isFolder     ? QFileDialog::Directory
                        : isWritten_ ? QFileDialog::AnyFile
                                     : QFileDialog::ExistingFile);
    if (isImage_) {
        addImagePreview(*dialog);
    }
    connect(dialog, &QFileDialog::fileSelected, this, &FileEditor::choose);
    dialog->open();
}

/// At the chosen file where it is the user's own, else where the last dialog ended, as Qt does.
void FileEditor::beginAtFile(QFileDialog& dialog) const {
    const QFileInfo chosen(path_->text());
    const bool isOwn = chosen.isAbsolute() && chosen.exists() &&
                       !(offered_ && offered_->isOfProgram(chosen.filePath()));
    if (isOwn) {
        dialog.setDirectory(chosen.isDir() ? chosen.filePath() : chosen.absolutePath());
        dialog.selectFile(chosen.fileName());
    } else if (dialog.directory() == QDir::current()) {  // there was none
        dialog.setDirectory(QStandardPaths::writableLocation(QStandardPaths::PicturesLocation));
    }
}

void FileEditor::choose(const QString& path) {
    path_->setText(path);
    propose(path.toStdString(), true);
    Q_EMIT dismissed();
}

void FileEditor::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Down && offered_) {
        offer();
    } else {
        ParamEditor::keyPressEvent(event);
    }
}

}  // namespace lowtide::ui
