#include "ui/editors/file_editor.hpp"

#include "ui/editors/edit_session.hpp"
#include "ui/editors/path_line.hpp"
#include "ui/editors/picture_preview.hpp"
#include "ui/editors/search_list.hpp"
#include "ui/editors/text_editors.hpp"
#include "ui/theme/theme.hpp"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QStandardPaths>
#include <QToolButton>

#include <algorithm>

namespace lowtide::ui {

namespace {

QToolButton* makeButton(QWidget* parent, const char* icon, const QString& tooltip) {
    auto* button = new QToolButton(parent);
    button->setObjectName(icon);
    button->setIcon(Theme::current().icon(icon));
    button->setToolTip(tooltip);
    button->setAccessibleName(tooltip);
    return button;
}

bool givesPicture(const NodeDesc& node) {
    return std::any_of(node.outputs.begin(), node.outputs.end(), [](const PortDesc& output) {
        return output.type == "IMAGE";
    });
}

}  // namespace

FileEditor::FileEditor(const NodeDesc& node,
                       const ParamDesc& param,
                       const OfferedFiles* offered,
                       QWidget* parent)
    : ValueEditor(param, parent),
      offered_(offered),
      nodeType_(node.id),
      isWritten_(node.sideEffect),
      isPicture_(param.kind == ParamKind::File && !node.sideEffect && givesPicture(node)),
      path_(new PathLine(this)) {
    const bool isFolder = param.kind == ParamKind::Folder;
    path_->setObjectName("path");
    path_->setPlaceholderText(isFolder ? tr("No folder") : tr("No file"));
    path_->setAccessibleName(accessibleName());
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(Theme::space(1));
    row->addWidget(path_, 1);
    if (offered_) {
        auto* known = makeButton(this, "chevron-down", tr("Choose one that is known"));
        connect(known, &QToolButton::clicked, this, &FileEditor::offer);
        row->addWidget(known);
    }
    auto* folder = makeButton(this, "folder", tr("Browse…"));
    connect(folder, &QToolButton::clicked, this, &FileEditor::browse);
    row->addWidget(folder);
    setFocusProxy(path_);
    connect(path_, &QLineEdit::textEdited, this, [this](const QString& text) {
        propose(text.toStdString(), false);
    });
    EditSession::watch(
        *path_,
        [this] {
            finish();
            return true;
        },
        [this] { Q_EMIT dismissed(); });
}

QWidget* FileEditor::markedWidget() {
    return path_;
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
    const std::vector<OfferedFile> files = offered_->filesFor(nodeType_, param().id);
    std::vector<SearchItem> items;
    int current = -1;
    for (const OfferedFile& file : files) {
        if (file.value == path_->text()) {
            current = static_cast<int>(items.size());
        }
        items.push_back({file.label, file.detail, true, file.value});
    }
    items.push_back({tr("Browse…"), QString()});
    auto* list = new SearchList(std::move(items), this);
    connect(list, &SearchList::chosen, this, [this, files](int index) {
        if (static_cast<size_t>(index) < files.size()) {
            choose(files[static_cast<size_t>(index)].value);
        } else {
            browse();
        }
    });
    list->openAt(*this, current);
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
    if (isPicture_) {
        addPicturePreview(*dialog);
    }
    connect(dialog, &QFileDialog::fileSelected, this, &FileEditor::choose);
    dialog->open();
}

/// At the chosen file where it is the person's own, else where the last dialog ended, as Qt does.
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
    if (event->key() == Qt::Key_Escape) {
        finish();
        Q_EMIT dismissed();
    } else if (event->key() == Qt::Key_Down && offered_) {
        offer();
    } else {
        ValueEditor::keyPressEvent(event);
    }
}

}  // namespace lowtide::ui
