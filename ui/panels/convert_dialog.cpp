#include "ui/panels/convert_dialog.hpp"

#include "ui/editors/file_editor.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QButtonGroup>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>

namespace lowtide::ui {

namespace {

/// A storage of a later module has its name alone.
QString storageText(const std::string& storage) {
    if (storage == "f16") {
        return StorageChoices::tr("f16: every number in 16 bits");
    }
    if (storage == "f8") {
        return StorageChoices::tr("f8: matrices of the denoiser in 8 bits");
    }
    if (storage == "int8") {
        return StorageChoices::tr("int8: the same, with a scale for each row");
    }
    if (storage == "q8_0") {
        return StorageChoices::tr("q8_0: the denoiser alone in 8.5 bits, as GGUF");
    }
    if (storage == "q4_k") {
        return StorageChoices::tr("q4_k: the denoiser alone in 4.5 bits, as GGUF");
    }
    return QString::fromStdString(storage);
}

constexpr int kConvertWidth = Theme::space(125);
constexpr int kConvertBar = Theme::space(1);
constexpr int kWholeBar = 1000;

QLabel* makeNote(const char* name, const QString& text, const char* token, QWidget* parent) {
    QLabel* label = makeText(text, name, parent, nullptr, token);
    label->setTextFormat(Qt::PlainText);
    label->setMinimumWidth(kConvertWidth);
    return label;
}

/// As the last lines of the command have it.
QString convertedText(const Converted& what) {
    const QString written = ConvertDialog::tr("Written: %1, %2.")
                                .arg(QFileInfo(what.out).fileName(), bytesText(what.bytes));
    return what.rounded == 0
               ? ConvertDialog::tr("%1 Every number is that of the source.").arg(written)
               : ConvertDialog::tr("%1 Rounded tensors: %2, by %3 of their numbers on average.")
                     .arg(written,
                          QString::number(what.rounded),
                          QString::number(what.meanError, 'g', 2));
}

}  // namespace

QString convertedPath(const QString& source, const StorageChoice& choice) {
    const QFileInfo info(source);
    const QString name =
        info.isDir() ? info.fileName() + QStringLiteral("_unet") : info.completeBaseName();
    const QString start =
        info.dir().filePath(name + QLatin1Char('_') + QString::fromStdString(choice.storage));
    QString path = start + choice.ending;
    for (int number = 2; QFileInfo::exists(path); ++number) {
        path = start + QStringLiteral("_%1").arg(number) + choice.ending;
    }
    return path;
}

QString withEndingOf(const StorageChoice& choice, const QString& path) {
    for (const QLatin1String ending : {QLatin1String(".safetensors"), QLatin1String(".gguf")}) {
        if (path.endsWith(ending, Qt::CaseInsensitive)) {
            return path.left(path.size() - ending.size()) + choice.ending;
        }
    }
    return path;
}

StorageChoices::StorageChoices(QWidget* parent)
    : QWidget(parent), grid_(new QGridLayout(this)), buttons_(new QButtonGroup(this)) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(Theme::space(4));
    grid_->setVerticalSpacing(Theme::space(2));
    grid_->setColumnStretch(0, 1);
    connect(buttons_, &QButtonGroup::idToggled, this, [this](int, bool isChosen) {
        if (isChosen) {
            Q_EMIT changed();
        }
    });
}

void StorageChoices::setChoices(const std::vector<StorageChoice>& choices) {
    choices_ = choices;
    for (int row = 0; row < static_cast<int>(choices_.size()); ++row) {
        addRow(row);
    }
    for (QAbstractButton* button : buttons_->buttons()) {
        if (button->isEnabled()) {
            setFocusProxy(button);
            button->setChecked(true);
            return;
        }
    }
}

void StorageChoices::addRow(int row) {
    const StorageChoice& choice = choices_[static_cast<size_t>(row)];
    auto* button = new QRadioButton(storageText(choice.storage), this);
    button->setObjectName(QString::fromStdString(choice.storage));
    auto* size = named(button->objectName() + QStringLiteral("Size"), new QLabel(this));
    size->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setTextColour(*size, "text.muted");
    const QString now = bytesText(choice.sourceBytes);
    size->setText(choice.isSmaller() ? tr("%1, now %2").arg(bytesText(choice.bytes), now)
                                     : tr("not smaller, now %1").arg(now));
    button->setAccessibleDescription(size->text());
    button->setEnabled(choice.isSmaller());
    if (!choice.isSmaller()) {
        button->setToolTip(tr("The file would take %1.").arg(bytesText(choice.bytes)));
    }
    buttons_->addButton(button, row);
    grid_->addWidget(button, row, 0);
    grid_->addWidget(size, row, 1);
    button->show();  // a layout shows what comes later in a moment, when the focus is elsewhere
}

const StorageChoice* StorageChoices::chosen() const {
    const int row = buttons_->checkedId();
    return row < 0 ? nullptr : &choices_[static_cast<size_t>(row)];
}

ConvertDialog::ConvertDialog(Conversion& conversion,
                             const std::string& checkpoint,
                             const QString& graphFolder,
                             QWidget* parent)
    : QDialog(parent),
      conversion_(conversion),
      checkpoint_(checkpoint),
      graphFolder_(graphFolder),
      storages_(new StorageChoices(this)),
      path_(named("path", new PathLine(this))),
      browse_(makeButton(tr("Choose..."), "browse", this)),
      replaced_(makeNote(
          "replaced", tr("A file of that name exists and will be replaced."), "warning", this)),
      bar_(named("convertBar", new QProgressBar(this))),
      message_(makeNote("message", {}, "text", this)) {
    setObjectName(QStringLiteral("convertDialog"));
    setWindowTitle(tr("Convert %1").arg(QFileInfo(QString::fromStdString(checkpoint)).fileName()));
    bar_->setAccessibleName(tr("Progress of the conversion"));
    bar_->setRange(0, kWholeBar);
    bar_->setTextVisible(false);
    bar_->setFixedHeight(kConvertBar);
    QLabel* note = makeNote("convertNote",
                            tr("Writes the weights to a new, smaller file and keeps the original. "
                               "Numbers are rounded; the result says by how much."),
                            "text.muted",
                            this);
    columnIn(this,
             3,
             {5, 5, 5, 5},
             {note, storages_, makeFileRow(), replaced_, bar_, message_, makeButtons()})
        ->setSizeConstraint(QLayout::SetFixedSize);
    connect(storages_, &StorageChoices::changed, this, &ConvertDialog::propose);
    connect(&conversion_, &Conversion::known, this, &ConvertDialog::take);
    connect(&conversion_, &Conversion::progressed, this, &ConvertDialog::showProgress);
    connect(&conversion_, &Conversion::ended, this, &ConvertDialog::end);
    showMessage("text.muted", tr("Reading what the file holds..."));
    showState();
    conversion_.ask(checkpoint_, graphFolder_);
}

QBoxLayout* ConvertDialog::makeFileRow() {
    path_->setPlaceholderText(tr("The new file"));
    path_->setAccessibleName(path_->placeholderText());
    browse_->setAutoDefault(false);
    connect(path_, &QLineEdit::textChanged, this, &ConvertDialog::showState);
    connect(browse_, &QPushButton::clicked, this, &ConvertDialog::browse);
    return rowOf(2, {{path_, 1}, browse_});
}

QBoxLayout* ConvertDialog::makeButtons() {
    use_ = makeButton(tr("Use in the graph"), "use", this);
    convert_ = makeButton(tr("Convert"), "convert", this);
    close_ = makeButton({}, "close", this);
    close_->setAutoDefault(false);
    connect(convert_, &QPushButton::clicked, this, &ConvertDialog::begin);
    connect(close_, &QPushButton::clicked, this, &ConvertDialog::reject);
    connect(use_, &QPushButton::clicked, this, [this] {
        accept();
        Q_EMIT useAsked(written_);
    });
    return rowOf(2, {use_, Cell::spring(), close_, convert_});
}

void ConvertDialog::take(const Convertible& what) {
    source_ = what.path;
    showMessage("error", what.problem);
    storages_->setChoices(what.choices);
    if (what.problem.isEmpty() && !storages_->chosen()) {
        showMessage("text.muted", tr("No storage makes it smaller than it is."));
    }
    showState();
    if (storages_->chosen()) {
        storages_->setFocus(Qt::OtherFocusReason);
    }
}

/// The name goes with the storage until the user types one, its ending always.
void ConvertDialog::propose() {
    const StorageChoice& choice = *storages_->chosen();
    if (path_->text() == proposed_) {
        proposed_ = QDir::toNativeSeparators(convertedPath(source_, choice));
        path_->setText(proposed_);
    } else {
        path_->setText(withEndingOf(choice, path_->text()));
    }
}

QString ConvertDialog::out() const {
    const QString typed = QDir::fromNativeSeparators(path_->text().trimmed());
    return typed.isEmpty() ? QString() : QFileInfo(source_).dir().absoluteFilePath(typed);
}

void ConvertDialog::begin() {
    isConverting_ = true;
    written_.clear();
    showMessage("text.muted", tr("Converting..."));
    bar_->setValue(0);
    showState();
    close_->setFocus(Qt::OtherFocusReason);
    conversion_.begin({.checkpoint = checkpoint_,
                       .graphFolder = graphFolder_,
                       .storage = storages_->chosen()->storage,
                       .out = out()});
}

void ConvertDialog::showProgress(qint64 done, qint64 total) {
    if (isConverting_ && total > 0) {
        bar_->setValue(static_cast<int>(done * kWholeBar / total));
        showMessage("text.muted", tr("%1 of %2").arg(bytesText(done), bytesText(total)));
    }
}

void ConvertDialog::end(const Converted& what) {
    isConverting_ = false;
    if (what.isCancelled) {
        showMessage("text.muted", tr("Cancelled: nothing was written."));
    } else if (!what.problem.isEmpty()) {
        showMessage("error", what.problem);
    } else {
        written_ = what.out;
        proposed_ = path_->text();
        showMessage("success", convertedText(what));
    }
    showState();
    (written_.isEmpty() ? convert_ : use_)->setFocus(Qt::OtherFocusReason);
}

void ConvertDialog::reject() {
    if (isConverting_) {
        conversion_.cancel();
        showMessage("text.muted", tr("Cancelling..."));
        return;
    }
    QDialog::reject();
}

void ConvertDialog::browse() {
    auto* dialog = named("browseOut", new QFileDialog(this, tr("The new file")));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Weights (*%1)").arg(storages_->chosen()->ending)});
    dialog->setDirectory(QFileInfo(out()).absolutePath());
    dialog->selectFile(QFileInfo(out()).fileName());
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        path_->setText(withEndingOf(*storages_->chosen(), file));
    });
    dialog->open();
}

void ConvertDialog::showMessage(const char* colour, const QString& text) {
    setTextColour(*message_, colour);
    showText(*message_, text);
}

void ConvertDialog::showState() {
    const bool isChosen = storages_->chosen() != nullptr;
    const QString file = out();
    storages_->setEnabled(!isConverting_);
    path_->setEnabled(isChosen && !isConverting_);
    browse_->setEnabled(isChosen && !isConverting_);
    replaced_->setVisible(!isConverting_ && file != written_ && !file.isEmpty() &&
                          QFileInfo(file).isFile());
    bar_->setVisible(isConverting_);
    use_->setVisible(!written_.isEmpty());
    convert_->setEnabled(isChosen && !isConverting_ && !file.isEmpty());
    close_->setText(isConverting_ ? tr("Cancel") : tr("Close"));
    (written_.isEmpty() ? convert_ : use_)->setDefault(true);
}

}  // namespace lowtide::ui
