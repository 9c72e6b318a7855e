#pragma once

#include "ui/bridge/model_library.hpp"
#include "ui/bridge/model_plans.hpp"

#include <QImage>
#include <QString>
#include <QStyledItemDelegate>
#include <QWidget>

#include <functional>
#include <optional>

class QComboBox;
class QLineEdit;

namespace lowtide::ui {

/// "checkpoint", "LoRA", ...
[[nodiscard]] QString kindText(ModelKind kind);
/// The family, or the kind where none is known.
[[nodiscard]] QString familyText(const ModelFile& model);

/// The text for how a model fits, and its colour.
struct FitText {
    QString text;
    const char* colour = "text.muted";
    ModelVerdict verdict = ModelVerdict::Unknown;
};

/// By the plan where there is one ("streams 5.2 GiB per forward pass"), else by the weights
/// ("streams").
[[nodiscard]] FitText fitTextOf(const FoundModel& model,
                                const std::optional<ModelFit>& planned,
                                ModelVerdict byWeights);

/// Columns of a list of models; all but the first are shown below the name.
struct ModelColumn {
    enum : int { Name, Family, Size, Verdict };

    /// Roles in addition to Qt's: of the name the file's path, of the verdict the index in the
    /// library.
    static constexpr int Path = 0x0101;
    static constexpr int Index = 0x0102;
};

/// Paints a model: its name over the whole width, below it what is known of it: panels are narrow.
class ModelRowDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    /// The thumbnail of a row, asked for when it is painted; without it rows have none.
    void setImages(std::function<QImage(const QModelIndex&)> images) {
        images_ = std::move(images);
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;

private:
    std::function<QImage(const QModelIndex&)> images_;
};

/// Which models the user wants to see, and in which order.
class ModelFilter : public QWidget {
    Q_OBJECT

public:
    enum class Order { Kind, Name, Newest, Largest };

    explicit ModelFilter(QWidget* parent = nullptr);

    /// Offers the kinds and families that are among them; what is chosen is kept.
    void setModels(const std::vector<FoundModel>& models);

    /// Of words, kind and family.
    [[nodiscard]] bool accepts(const FoundModel& model, const QString& note) const;
    /// nullopt: any.
    [[nodiscard]] std::optional<ModelVerdict> verdict() const;
    [[nodiscard]] Order order() const;
    /// Whether the first comes before the second.
    [[nodiscard]] bool isBefore(const FoundModel& first, const FoundModel& second) const;

Q_SIGNALS:
    void changed();

private:
    QComboBox* addBox(const char* name, const QString& tip);

    QLineEdit* words_;
    QComboBox* kind_ = nullptr;
    QComboBox* family_ = nullptr;
    QComboBox* fit_ = nullptr;
    QComboBox* order_ = nullptr;
};

}  // namespace lowtide::ui
