#include "ui/panels/frame_panel.hpp"

#include "ui/panels/frame_tool.hpp"
#include "ui/theme/theme.hpp"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <optional>

namespace lowtide::ui {

namespace {

constexpr int kFirstOverlap = 32;
constexpr int kMostOverlap = 512;
constexpr std::pair<int, int> kRatios[] = {
    {1, 1}, {5, 4}, {4, 3}, {3, 2}, {16, 9}, {21, 9}, {4, 5}, {3, 4}, {2, 3}, {9, 16}};

}  // namespace

FramePanel::FramePanel(QWidget* parent)
    : QWidget(parent),
      ratio_(new QComboBox(this)),
      multiple_(new QComboBox(this)),
      overlap_(new QSpinBox(this)),
      size_(new QLabel(this)),
      told_(new QLabel(this)),
      write_(new QPushButton(this)) {
    setObjectName(QStringLiteral("framePanel"));
    auto* title = new QLabel(tr("Crop or extend"), this);
    title->setFont(Theme::current().font("strong"));
    auto* hint =
        new QLabel(tr("Drag edges and corners inwards to crop, beyond the picture to extend "
                      "it. Arrows move the frame, with Shift they change its size."),
                   this);
    hint->setWordWrap(true);
    ratio_->setObjectName(QStringLiteral("frameRatio"));
    ratio_->addItem(tr("Free"));
    ratio_->addItem(tr("As the picture"));
    for (const auto& [width, height] : kRatios) {
        ratio_->addItem(tr("%1 : %2").arg(width).arg(height), double(width) / height);
    }
    multiple_->setObjectName(QStringLiteral("frameMultiple"));
    multiple_->setToolTip(
        tr("Models want sides that are multiples: 8 for Stable Diffusion, up to 64 "
           "for others"));
    for (const int multiple : {8, 16, 32, 64}) {
        multiple_->addItem(tr("%1 px").arg(multiple), multiple);
    }
    overlap_->setObjectName(QStringLiteral("frameOverlap"));
    overlap_->setRange(0, kMostOverlap);
    overlap_->setSuffix(tr(" px"));
    overlap_->setValue(kFirstOverlap);
    overlap_->setToolTip(
        tr("Over so many pixels of the old picture the mask of what is new falls "
           "off, so that both join"));
    size_->setObjectName(QStringLiteral("frameSize"));
    size_->setWordWrap(true);
    told_->setObjectName(QStringLiteral("frameTold"));
    told_->setWordWrap(true);
    told_->setFont(Theme::current().font("small"));
    write_->setObjectName(QStringLiteral("frameWrite"));
    write_->setDefault(true);
    auto* reset = new QPushButton(tr("Whole picture"), this);
    reset->setObjectName(QStringLiteral("frameReset"));
    auto* close = new QPushButton(tr("Close"), this);
    close->setObjectName(QStringLiteral("frameClose"));
    close->setToolTip(tr("Back to the picture, nothing is written (Esc)"));
    for (QPushButton* each : {write_, reset, close}) {
        each->setFocusPolicy(Qt::TabFocus);
    }
    auto* form = new QFormLayout;
    form->setVerticalSpacing(Theme::space(2));
    form->addRow(tr("Ratio"), ratio_);
    form->addRow(tr("Multiple of"), multiple_);
    form->addRow(tr("Overlap"), overlap_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::space(3), Theme::space(2), Theme::space(3), Theme::space(3));
    column->setSpacing(Theme::space(3));
    column->addWidget(title);
    column->addWidget(hint);
    column->addLayout(form);
    column->addWidget(size_);
    column->addWidget(reset);
    column->addStretch(1);
    column->addWidget(told_);
    column->addWidget(write_);
    column->addWidget(close);
    connect(ratio_, &QComboBox::activated, this, [this](int index) {
        const QSizeF picture = tool_->frame().picture();
        const std::optional<double> own(picture.width() / picture.height());
        const QVariant ratio = ratio_->itemData(index);
        tool_->setRatio(index == 0        ? std::nullopt
                        : ratio.isValid() ? std::optional(ratio.toDouble())
                                          : own);
    });
    connect(multiple_, &QComboBox::activated, this, [this] {
        tool_->setMultiple(multiple_->currentData().toInt());
    });
    connect(reset, &QPushButton::clicked, this, [this] { tool_->reset(); });
    connect(write_, &QPushButton::clicked, this, &FramePanel::writeAsked);
    connect(close, &QPushButton::clicked, this, &FramePanel::closeAsked);
    setTool(nullptr);
}

void FramePanel::setTool(FrameTool* tool) {
    tool_ = tool;
    setEnabled(tool_ != nullptr);
    tell({});
    if (tool_) {
        ratio_->setCurrentIndex(0);
        tool_->setMultiple(multiple_->currentData().toInt());
        connect(tool_, &FrameTool::changed, this, &FramePanel::show);
        show();
    }
}

int FramePanel::overlap() const {
    return overlap_->value();
}

void FramePanel::tell(const QString& text) {
    told_->setText(text);
    told_->setVisible(!text.isEmpty());
}

void FramePanel::show() {
    if (!tool_) {
        return;
    }
    const CropFrame& frame = tool_->frame();
    const QSize size = frame.rect().size();
    const QString pixels = tr("%1 x %2 pixels").arg(size.width()).arg(size.height());
    size_->setText(frame.isBeyond()
                       ? tr("%1; what is new has the colours of the edge and is masked").arg(pixels)
                       : pixels);
    overlap_->setEnabled(frame.isBeyond());
    write_->setText(frame.isBeyond() ? tr("Extend and mask") : tr("Crop"));
    write_->setToolTip(frame.isBeyond() ? tr("Write the larger picture and paint its mask (Return)")
                                        : tr("Write this part as a picture of its own (Return)"));
    write_->setEnabled(!frame.isWhole());
}

}  // namespace lowtide::ui
