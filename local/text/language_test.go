package text

import "testing"

func TestSupportOf(t *testing.T) {
	for in, want := range map[string]Support{
		"": English, "Rain fell.": English, "The rain fell on the roof of the house and it was cold.": English,
		"Der Regen fiel auf das Dach des Hauses, und es wurde kalt in der Nacht.":     AsWritten,
		"La pluie tombait sur le toit de la maison et il faisait froid dans la nuit.": AsWritten,
		"Дождь шёл всю ночь.":                                                         AsWritten, "今天很冷。": Sequences, "날씨가 춥다": Sequences, "ภาษาไทย": Sequences, "طقس بارد": AsWritten,
	} {
		if got := SupportOf(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
