#include "ui/panels/model_details.hpp"

#include "ui/bridge/background.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/panels/model_rows.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

namespace lowtide::ui {

namespace {

constexpr int kImageSide = Theme::space(18);
constexpr int kNoteRest = 600;  // milliseconds after a key
constexpr qint64 kLongestNote = 8192;

/// What other programs wrote next to the model; empty: nothing. Called on another thread.
QString siblingNote(const std::string& path) {
    for (const QString& name : noteNamesFor(path)) {
        QFile file(name);
        if (file.open(QIODevice::ReadOnly)) {
            return QString::fromUtf8(file.read(kLongestNote)).trimmed();
        }
    }
    return {};
}

}  // namespace

ModelDetails::ModelDetails(ModelShelf& shelf, ModelImages& images, QWidget* parent)
    : QWidget(parent),
      shelf_(shelf),
      images_(images),
      image_(named("modelPicture", new QLabel(this))),
      name_(makeText({}, "", this, "strong")),
      facts_(makeText({}, "modelFacts", this)),
      hash_(makeText({}, "modelHash", this)),
      makeHash_(makeIconButton("tag", tr("Compute the hash (SHA-256)"), "makeHash", this)),
      copyHash_(makeIconButton("copy", tr("Copy the SHA-256"), "copyHash", this)),
      setImage_(makeIconButton("image", tr("Choose its image..."), "setPicture", this)),
      progress_(named("hashProgress", new QProgressBar(this))),
      note_(named("modelNote", new QPlainTextEdit(this))),
      rest_(new QTimer(this)) {
    setObjectName(QStringLiteral("modelDetails"));
    build();
    connect(makeHash_, &QToolButton::clicked, this, [this] {
        if (!model_) {
            return;
        }
        if (shelf_.hashing() == model_->file.path) {
            shelf_.cancelHashing();
        } else {
            shelf_.hash(*model_);
            showHash();
        }
    });
    connect(copyHash_, &QToolButton::clicked, this, &ModelDetails::copyHash);
    connect(setImage_, &QToolButton::clicked, this, &ModelDetails::imageAsked);
    connect(&shelf_, &ModelShelf::hashProgressed, this, [this](const auto& path, double fraction) {
        if (model_ && model_->file.path == path) {
            progress_->setValue(static_cast<int>(fraction * progress_->maximum()));
        }
    });
    connect(
        &shelf_, &ModelShelf::hashEnded, this, [this](const auto& path, const QString& problem) {
            if (model_ && model_->file.path == path) {
                showHash();
                if (!problem.isEmpty()) {
                    hash_->setText(problem);
                }
            }
        });
    connect(&shelf_, &ModelShelf::changed, this, [this](const std::string& path) {
        if (model_ && model_->file.path == path && !note_->hasFocus()) {
            showNote();
        }
    });
    connect(&images_, &ModelImages::made, this, [this](const std::string& path) {
        if (model_ && model_->file.path == path) {
            showRunImage();
        }
    });
    connect(&Themed::instance(), &Themed::changed, this, [this] {
        if (model_) {
            showRunImage();
        }
    });
    rest_->setSingleShot(true);
    rest_->setInterval(kNoteRest);
    connect(rest_, &QTimer::timeout, this, &ModelDetails::keepNote);
    show(std::nullopt);
}

ModelDetails::~ModelDetails() {
    keepNote();
}

void ModelDetails::build() {
    image_->setFixedSize(kImageSide, kImageSide);
    image_->setAlignment(Qt::AlignCenter);
    for (QLabel* label : {name_, facts_, hash_}) {
        label->setTextFormat(Qt::PlainText);
    }
    facts_->setForegroundRole(QPalette::PlaceholderText);
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(Theme::space(1));
    note_->setAccessibleName(tr("Note"));
    note_->setTabChangesFocus(true);
    note_->setFixedHeight(Theme::space(13));
    connect(note_, &QPlainTextEdit::textChanged, rest_, qOverload<>(&QTimer::start));
    QBoxLayout* texts = columnIn(nullptr, 1, {name_, facts_, Cell::spring()});
    columnIn(this,
             1,
             {rowOf(2, {{image_, 0, Qt::AlignTop}, {texts, 1}}),
              rowOf(1, {{hash_, 1}, copyHash_, makeHash_, setImage_}),
              progress_,
              note_});
}

void ModelDetails::show(const std::optional<FoundModel>& model) {
    keepNote();
    if (!model || !model_ || model->file.path != model_->file.path) {
        note_->document()->setModified(false);  // what is typed there was of the other one
    }
    model_ = model;
    setVisible(model_.has_value());
    if (!model_) {
        return;
    }
    name_->setText(QString::fromStdString(model_->file.name));
    name_->setToolTip(QString::fromStdString(model_->file.path));
    setFit({});
    showRunImage();
    showHash();
    showNote();
}

void ModelDetails::setFit(const QString& text) {
    fit_ = text;
    if (!model_) {
        return;
    }
    QStringList facts{kindText(model_->file.kind)};
    if (!model_->file.family.empty()) {
        facts << QString::fromStdString(model_->file.family);
    }
    facts << bytesText(model_->file.weights);
    if (!fit_.isEmpty()) {
        facts << fit_;
    }
    facts_->setText(model_->file.problem.empty() ? facts.join(QStringLiteral(" · "))
                                                 : moduleSentence(model_->file.problem));
}

void ModelDetails::showRunImage() {
    const QImage image = images_.find(*model_);
    const double scale = devicePixelRatioF();
    if (image.isNull()) {
        image_->setPixmap(
            Theme::current().icon("image", "text.muted").pixmap(QSize(kImageSide, kImageSide) / 3));
        return;
    }
    QPixmap shown = QPixmap::fromImage(image.scaled(
        QSize(kImageSide, kImageSide) * scale, Qt::KeepAspectRatio, Qt::SmoothTransformation));
    shown.setDevicePixelRatio(scale);
    image_->setPixmap(shown);
}

void ModelDetails::showHash() {
    const std::string sha256 = shelf_.hashOf(*model_);
    const bool isAtWork = shelf_.hashing() == model_->file.path;
    hash_->setText(isAtWork          ? tr("Computing the hash...")
                   : !sha256.empty() ? tr("Hash %1").arg(QString::fromStdString(autoV2(sha256)))
                                     : tr("No hash yet"));
    hash_->setToolTip(QString::fromStdString(sha256));
    copyHash_->setEnabled(!sha256.empty());
    makeHash_->setEnabled(model_->identity.size > 0 && sha256.empty());
    makeHash_->setIcon(Theme::current().icon(isAtWork ? "stop" : "tag"));
    setTip(*makeHash_, isAtWork ? tr("Stop computing the hash") : tr("Compute the hash (SHA-256)"));
    progress_->setVisible(isAtWork);
    progress_->setValue(0);
}

void ModelDetails::showNote() {
    const QSignalBlocker quiet(note_);
    EditSession::showUnlessTyped(*note_, shelf_.noteOf(*model_));
    note_->setPlaceholderText(tr("Note: trigger words, strength, where it is from"));
    if (note_->toPlainText().isEmpty()) {
        lookForNote();
    }
}

void ModelDetails::lookForNote() {
    later(
        this,
        [path = model_->file.path] { return std::pair(path, siblingNote(path)); },
        [this](const std::pair<std::string, QString>& found) {
            if (model_ && model_->file.path == found.first && !found.second.isEmpty()) {
                note_->setPlaceholderText(found.second);
            }
        });
}

void ModelDetails::keepNote() {
    rest_->stop();
    if (model_ && note_->toPlainText() != shelf_.noteOf(*model_)) {
        shelf_.setNote(*model_, note_->toPlainText());
    }
}

void ModelDetails::copyHash() {
    QGuiApplication::clipboard()->setText(QString::fromStdString(shelf_.hashOf(*model_)));
}

}  // namespace lowtide::ui
