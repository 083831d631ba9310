def convert(kelvin, unit):
    celsius = kelvin - 273.15
    return round(celsius * 9 / 5 + 32 if unit == 'F' else celsius)
