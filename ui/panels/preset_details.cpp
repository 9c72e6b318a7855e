#include "ui/panels/preset_details.hpp"

#include "ui/language/module_texts.hpp"
#include "ui/panels/memory_line.hpp"
#include "ui/panels/preset_cards.hpp"
#include "ui/panels/token_colour.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/flow_row.hpp"
#include "ui/theme/theme.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace lowtide::ui {

namespace {

constexpr int kDetailsPicture = 64;
constexpr int kDetailsWidth = 232;
constexpr int kFilesHeight = 96;

/// By the parameter that names the file.
QString fileKindText(const QString& kind) {
    const std::pair<const char*, QString> known[] = {
        {"checkpoint", PresetDetails::tr("Checkpoint")},
        {"unet", PresetDetails::tr("Denoiser")},
        {"vae", PresetDetails::tr("Autoencoder")},
        {"upscaler", PresetDetails::tr("Upscaler")},
        {"controlnet", PresetDetails::tr("ControlNet")},
        {"adapter", PresetDetails::tr("IP-Adapter")},
        {"image_encoder", PresetDetails::tr("Image encoder")},
        {"file", PresetDetails::tr("Weights")},
        {"image", PresetDetails::tr("Picture")},
        {"video", PresetDetails::tr("Video")}};
    const auto* found = std::find_if(std::begin(known), std::end(known), [&](const auto& each) {
        return kind == QLatin1String(each.first);
    });
    return found == std::end(known) ? kind : found->second;
}

bool isMissing(const QTreeWidgetItem& item) {
    return item.data(0, Qt::UserRole).toBool();
}

/// The chosen one where it is missing, else the first that is; nullptr: all are there.
const QTreeWidgetItem* itemToLocate(const QTreeWidget& files) {
    const QTreeWidgetItem* chosen = files.currentItem();
    if (chosen && isMissing(*chosen)) {
        return chosen;
    }
    for (int row = 0; row < files.topLevelItemCount(); ++row) {
        if (isMissing(*files.topLevelItem(row))) {
            return files.topLevelItem(row);
        }
    }
    return nullptr;
}

QLabel* makeDetail(const char* name, const char* font, const char* token, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setObjectName(QLatin1String(name));
    label->setFont(Theme::current().font(font));
    label->setWordWrap(true);
    setTextColour(*label, token);
    return label;
}

}  // namespace

PresetDetails::PresetDetails(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("presetDetails"));
    setMinimumWidth(kDetailsWidth);
    picture_ = new QLabel(this);
    title_ = makeDetail("presetTitle", "title", "text", this);
    tags_ = makeDetail("presetTags", "small", "text.muted", this);
    description_ = makeDetail("presetDescription", "body", "text", this);
    needs_ = makeDetail("presetNeeds", "body", "text", this);
    problem_ = makeDetail("presetProblem", "body", "error", this);
    files_ = new QTreeWidget(this);
    files_->setObjectName(QStringLiteral("presetFiles"));
    files_->setAccessibleName(tr("Files that it needs"));
    files_->setHeaderLabels({tr("File"), tr("What")});
    files_->setRootIsDecorated(false);
    files_->setFrameShape(QFrame::NoFrame);
    files_->header()->setStretchLastSection(false);
    files_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    files_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    connect(files_, &QTreeWidget::itemActivated, this, [this](const QTreeWidgetItem* item) {
        if (isMissing(*item)) {
            askFor(*item);
        }
    });
    locate_ = button("locateFile", tr("Locate..."));
    connect(locate_, &QPushButton::clicked, this, [this] {
        if (const QTreeWidgetItem* item = itemToLocate(*files_)) {
            askFor(*item);
        }
    });
    open_ = button("openPreset", tr("Open"));
    open_->setDefault(true);
    rename_ = button("renamePreset", tr("Rename..."));
    remove_ = button("removePreset", tr("Remove"));
    export_ = button("exportPreset", tr("Export..."));
    connect(open_, &QPushButton::clicked, this, &PresetDetails::openAsked);
    connect(rename_, &QPushButton::clicked, this, &PresetDetails::renameAsked);
    connect(remove_, &QPushButton::clicked, this, &PresetDetails::removeAsked);
    connect(export_, &QPushButton::clicked, this, &PresetDetails::exportAsked);

    auto* buttons = new FlowRow;
    buttons->setSpacing(Theme::space(2));
    for (QPushButton* each : {rename_, export_, remove_}) {
        each->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        buttons->addWidget(each);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::space(4), Theme::space(4), Theme::space(4), Theme::space(4));
    column->setSpacing(Theme::space(2));
    auto* names = new QVBoxLayout;
    names->setSpacing(Theme::space(1));
    names->addWidget(title_);
    names->addWidget(tags_);
    names->addStretch(1);
    auto* head = new QHBoxLayout;
    head->setSpacing(Theme::space(3));
    head->addWidget(picture_);
    head->addLayout(names, 1);
    column->addLayout(head);
    for (QWidget* each : {static_cast<QWidget*>(description_),
                          static_cast<QWidget*>(problem_),
                          static_cast<QWidget*>(needs_)}) {
        column->addWidget(each);
    }
    files_->setMaximumHeight(kFilesHeight);
    column->addWidget(files_);
    column->addWidget(locate_);
    column->addStretch(1);
    column->addWidget(open_);
    column->addLayout(buttons);
    setEntry(nullptr);
}

QPushButton* PresetDetails::button(const char* name, const QString& text) {
    auto* made = new QPushButton(text, this);
    made->setObjectName(QLatin1String(name));
    return made;
}

void PresetDetails::setEntry(const PresetEntry* entry) {
    const PresetEntry shown = entry ? *entry : PresetEntry();
    const bool isOwn = entry && !shown.isBuiltin;
    picture_->setPixmap(entry ? cardPicture(shown, kDetailsPicture, devicePixelRatioF())
                              : QPixmap());
    title_->setText(entry ? shown.title : tr("Choose a preset"));
    QStringList tags;
    std::transform(shown.tags.begin(), shown.tags.end(), std::back_inserter(tags), tagText);
    if (entry) {
        tags.push_back(shown.isBuiltin ? tr("built in") : tr("your own"));
    }
    if (shown.cardMemory > 0) {
        tags.push_back(tr("cards from %1").arg(bytesText(shown.cardMemory)));
    }
    for (QString& tag : tags) {
        tag.replace(QLatin1Char(' '), QChar::Nbsp);  // lines break between tags, not within one
    }
    tags_->setText(tags.join(QStringLiteral(" · ")));
    description_->setText(shown.description);
    description_->setVisible(!shown.description.isEmpty());
    problem_->setText(shown.problem);
    problem_->setVisible(!shown.problem.isEmpty());
    needs_->hide();
    showFiles(shown);
    open_->setEnabled(entry && shown.problem.isEmpty());
    export_->setEnabled(entry != nullptr);
    rename_->setEnabled(isOwn && shown.problem.isEmpty());
    remove_->setEnabled(isOwn);
}

void PresetDetails::showFiles(const PresetEntry& entry) {
    files_->clear();
    for (const RequiredFile& file : entry.files) {
        auto* item = new QTreeWidgetItem(files_, {file.value, fileKindText(file.kind)});
        const char* icon = file.isThere ? "check" : "warning";
        item->setIcon(0, Theme::current().icon(icon, file.isThere ? "success" : "warning"));
        item->setData(0, Qt::UserRole, !file.isThere);
        item->setData(1, Qt::UserRole, file.kind);
        item->setToolTip(0,
                         file.isThere
                             ? tr("%1 is there").arg(file.value)
                             : tr("%1 is missing. Press Enter to locate it.").arg(file.value));
    }
    files_->setVisible(!entry.files.empty());
    locate_->setVisible(!entry.isComplete());
}

void PresetDetails::askFor(const QTreeWidgetItem& item) {
    Q_EMIT locateAsked(item.data(1, Qt::UserRole).toString(), item.text(0));
}

void PresetDetails::setNeeds(const Planned& needs) {
    const MemoryLine line = memoryLineOf(needs);
    needs_->setText(line.text);
    needs_->setToolTip(line.detail);
    needs_->setVisible(!line.text.isEmpty());
    setTextColour(*needs_, line.fits ? "text" : "error");
}

}  // namespace lowtide::ui
