#pragma once

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QPalette>
#include <QString>

#include <map>
#include <memory>
#include <string>
#include <vector>

class QApplication;

namespace lowtide::ui {

/// The look of everything: one token file (resources/themes/tokens.json) for light and dark, and
/// both in high contrast (WCAG 2.1 AAA). Sizes are device-independent pixels on a rhythm of 4.
class Theme {
public:
    enum class Scheme { Light, Dark, LightContrast, DarkContrast };

    /// Reads the tokens from the program's resources. Error{Corrupt} names a token that is missing.
    explicit Theme(Scheme scheme);

    [[nodiscard]] Scheme scheme() const { return scheme_; }

    [[nodiscard]] bool isDark() const {
        return scheme_ == Scheme::Dark || scheme_ == Scheme::DarkContrast;
    }

    /// Nothing may be conveyed by a faint colour alone.
    [[nodiscard]] bool isHighContrast() const {
        return scheme_ == Scheme::LightContrast || scheme_ == Scheme::DarkContrast;
    }

    /// Dark where its texts are lighter than its windows.
    [[nodiscard]] static Scheme schemeOf(const QPalette& palette);

    /// "canvas", "surface", "raised", "border", "text", "text.muted", "accent", "accent.text",
    /// "warning", "error", "success", "lossy", "focus", ...: all in the token file, checked by a
    /// test for contrast. An unknown name is a bug of ours and ends the program with its name.
    [[nodiscard]] QColor colour(const char* token) const;
    /// A token's colour that lets the ground through; in high contrast it lets through nothing.
    [[nodiscard]] QColor softColour(const char* token, double opacity) const;
    /// Colour of a wire type, which colour-blind users can distinguish too.
    [[nodiscard]] QColor wireColour(const std::string& wireType) const;
    /// The shape of a port of that type, in addition to its colour.
    enum class PortShape { Circle, Square, Diamond, Triangle, Hexagon, RingBuffer };
    [[nodiscard]] PortShape portShape(const std::string& wireType) const;
    /// "body", "strong", "small", "label", "title", "display", "mono": the bundled fonts.
    [[nodiscard]] QFont font(const char* role) const;
    /// "row", "control", "icon", "radius", "focus", ...: device-independent pixels.
    [[nodiscard]] int size(const char* token) const;

    /// Spacing n on the rhythm: 4 * n pixels.
    [[nodiscard]] static constexpr int space(int n) { return 4 * n; }

    /// A line icon ("play", "stop", "plus", "trash", "search", ...: iconNames()), painted from
    /// vectors; crisp at every scale. It has the token's colour in the theme in use when it is
    /// painted, so a change of scheme needs no new icon.
    [[nodiscard]] QIcon icon(const char* name, const char* colourToken = "text") const;

    /// Palette, style and font of the whole program.
    void applyTo(QApplication& application) const;

    [[nodiscard]] QPalette palette() const;

    /// The theme in use. Set once by main and tests before the first widget, else it is the light
    /// one; replaced when the user chooses another scheme, which Themed reports.
    [[nodiscard]] static const Theme& current();
    static void setCurrent(std::shared_ptr<const Theme> theme);

private:
    struct WireLook {
        QColor colour;
        PortShape shape = PortShape::Circle;
    };

    [[nodiscard]] WireLook lookOf(const std::string& wireType) const;

    Scheme scheme_;
    std::map<std::string, QColor> colours_;
    std::map<std::string, QFont> fonts_;
    std::map<std::string, int> sizes_;
    std::map<std::string, WireLook> wires_;
    std::vector<QColor> otherWires_;
};

/// Reports that Theme::current() is another one, and whether anything may move by itself.
class Themed : public QObject {
    Q_OBJECT

public:
    [[nodiscard]] static Themed& instance();

    /// True: nothing slides, fades or blinks.
    [[nodiscard]] bool isMotionReduced() const { return isMotionReduced_; }

    /// Of the whole program: effects of menus and lists, the text cursor, animations of the style.
    void setMotionReduced(bool isReduced);

Q_SIGNALS:
    void changed();

private:
    bool isMotionReduced_ = false;
    int flashTime_ = -1;  ///< of the text cursor while motion is not reduced; -1: as it is
    bool hadEffects_ = false;
};

}  // namespace lowtide::ui
